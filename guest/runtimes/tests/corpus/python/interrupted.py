import os
import signal
import time

try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    print("once")
os.kill(os.getpid(), signal.SIGINT)
time.sleep(5)
