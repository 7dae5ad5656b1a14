# What libraries set in the context when they are loaded.
import contextvars
import threading

print(len(contextvars.copy_context()))
import decimal
import numpy

print(len(contextvars.copy_context()))
decimal.getcontext().prec = 5
print(len(contextvars.copy_context()), decimal.Decimal(1) / 3)
thread = threading.Thread(target=lambda: print(decimal.getcontext().prec))
thread.start()
thread.join()
import pandas

print(len(contextvars.copy_context()))
