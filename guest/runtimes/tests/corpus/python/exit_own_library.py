# A library that the program loads has its destructor called at exit, as those of the preloaded ones that do something.
# LIBRARY is this, compiled with gcc -Os -shared -fPIC -nostdlib -s -Wl,-z,noseparate-code,--build-id=none,--hash-style=sysv:
#   __attribute__((destructor)) static void last(void) {
#       long result;
#       __asm__ volatile("syscall" : "=a"(result) : "a"(1), "D"(1), "S"("destructor\n"), "d"(11) : "rcx", "r11", "memory");
#   }
import base64
import ctypes
import zlib

LIBRARY = (
    "eNrtWD1LA0EQnbuYGBMx2oiK+FFFCS5eUFALEeJXIYhWdrLJXbiAl8BlBVNpqYX/wV8hYmuhf8T/oJVezEy8GzxjsN0HuZe3t7Ozm9kUby53"
    "DnZNwwBCAjbhWwFsIV+PhsfWIBk8hyH7NTcJ8Xgxogy4Tlumgs/bSEe/zUQ5bUSZ4kyMgxyOzzI2opxGefSq7BT8HXTc4yBuoI99htMbfeTr"
    "rof6DoMf2rx/u5oJ6DEbPG6ec8kn22kq/7yiGn4GNDQ0NDQ0NDQ0NDQ0NH4D+asp5r+mIerDBpBPcD553SvU5Cld1BlmQ7PIE8iD5KeZP6X3"
    "Q0y/f3w0oE8v2Q/2SqWNuYVtp1yT9TmrKIpieclaKdhO2SqeW4s4BCCabmA5lSyDcGXTBWG36s2W12Hlg/CdM9kWIJRzoQLdsKWSIBz3tOpL"
    "zwFRrdVrp9L3ZesrSnq1CohKw/Ocuvr3ObJYG5PVi5j8vBlT3zFcw2T1JJ7o9kc6teB1m8R3JrsfV6wvAPCznse9mOx+XLP8fP80Xgj1VML3"
    "m3i8R34Lx4qo740oD8fEE6/jdzOu78OQZrqELZ0E+z9S3yUdE098iGen+G4/KBfdaILF0b04wSnLMY2gfI/zG+HcIeQxXvb4/T8BP8RbJA=="
)

with open("own.so", "wb") as file:
    file.write(zlib.decompress(base64.b64decode(LIBRARY)))
ctypes.CDLL("./own.so")
ctypes.CDLL(None).printf(b"buffered by C\n")
print("loaded")
