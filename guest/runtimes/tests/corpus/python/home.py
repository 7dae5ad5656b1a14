# case: {"environment": {"HOME": "/tmp"}}
import os
import site

print(site.USER_BASE, site.USER_SITE, os.path.expanduser("~/x"))
