import logging
import logging.config

logging.config.dictConfig(
    {
        "version": 1,
        "formatters": {"short": {"format": "%(levelname)s %(name)s %(message)s %(filename)s:%(lineno)d"}},
        "handlers": {"out": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "short"}},
        "root": {"level": "DEBUG", "handlers": ["out"]},
    }
)
logging.getLogger("app.part").debug("one")
import asyncio
import concurrent.futures


async def main():
    asyncio.get_running_loop().call_exception_handler({"message": "told to the logger of asyncio"})


asyncio.run(main())
record = logging.LogRecord("a", 10, "p", 1, "m", (), None)
print(0 <= record.relativeCreated < 60000, record.process == __import__("os").getpid(), record.threadName)
