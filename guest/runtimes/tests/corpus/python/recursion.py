# case: {"files": {"deep.py": "import sys\ndepth = 0\nframe = sys._getframe()\nwhile frame:\n    depth, frame = depth + 1, frame.f_back\nprint(depth)\n"}}
import sys


def depth_at_error():
    depth = 0

    def dig():
        nonlocal depth
        depth += 1
        dig()

    try:
        dig()
    except RecursionError as error:
        return depth, str(error)


print(depth_at_error(), sys._getframe().f_back)
import deep

sys.setrecursionlimit(300)
print(depth_at_error())
