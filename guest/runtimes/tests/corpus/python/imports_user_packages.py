# case: {"environment": {"HOME": "/workspace/home"}, "files": {"home/.local/lib/python3.11/site-packages/mine.py": "print('mine', __file__)\n"}}
import site
import sys

print(site.USER_SITE, site.USER_SITE in sys.path)
import mine
