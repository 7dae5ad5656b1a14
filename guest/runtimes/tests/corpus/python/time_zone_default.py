import datetime
import time

print(time.tzname, time.timezone, datetime.datetime.fromtimestamp(0), datetime.datetime.fromtimestamp(0).astimezone())
