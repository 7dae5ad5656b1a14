# case: {"environment": {"TZ": "America/New_York"}}
import datetime
import email.utils
import time

import dateutil.tz
import pandas as pd

moment = 1720000000
print(time.tzname, time.timezone, time.daylight, time.localtime(moment), time.strftime("%Z %z", time.localtime(moment)))
print(datetime.datetime.fromtimestamp(moment), datetime.datetime.fromtimestamp(moment).astimezone())
print(datetime.datetime.fromtimestamp(moment, dateutil.tz.tzlocal()), email.utils.formatdate(moment, localtime=True))
print(pd.Timestamp(moment, unit="s", tz="UTC").tz_convert(dateutil.tz.tzlocal()))
