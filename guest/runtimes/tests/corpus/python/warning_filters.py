import warnings

print([item[:1] + item[2:] for item in warnings.filters])
warnings.simplefilter("error")
import numpy as np

print([(item[0], item[1] and item[1].pattern, item[2].__name__) for item in warnings.filters])
for attempt in (lambda: warnings.warn("mine"), lambda: np.array([1.0]) / 0, lambda: warnings.warn("old", DeprecationWarning)):
    try:
        print(attempt())
    except Warning as warning:
        print(type(warning).__name__, warning)
warnings.resetwarnings()
warnings.warn("shown", DeprecationWarning)
warnings.warn("shown", DeprecationWarning)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("caught")
print(len(caught), caught[0].filename, caught[0].lineno)
