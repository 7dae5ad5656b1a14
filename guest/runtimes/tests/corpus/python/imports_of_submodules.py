# A package has a submodule as an attribute only after somebody imported it.
import sys
import concurrent
import email
import importlib
import scipy
import urllib
import xml

for package, name in ((concurrent, "futures"), (email, "mime"), (importlib, "metadata"), (urllib, "request"), (xml, "etree")):
    print(package.__name__, name, hasattr(package, name), f"{package.__name__}.{name}" in sys.modules)
print("scipy.optimize" in sys.modules)
try:
    xml.etree
except AttributeError as error:
    print(error)
import xml.etree.ElementTree, urllib.request, concurrent.futures

print(xml.etree, urllib.request, concurrent.futures)
print(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2), "scipy.optimize" in sys.modules)
from scipy import integrate, signal
import scipy.spatial.distance as distance

print(integrate.quad(lambda x: x, 0, 1)[0], signal.get_window("hann", 4), distance.euclidean([0, 0], [3, 4]))
