# case: {"environment": {"LC_ALL": "C", "LANG": "C"}, "arguments": ["x", ""]}
import locale
import os
import sys

print(locale.getlocale(), sys.getfilesystemencoding(), sys.flags.utf8_mode)
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
