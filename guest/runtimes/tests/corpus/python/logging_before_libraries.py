import logging

logging.getLogger("asyncio").setLevel(logging.ERROR)
logging.getLogger("concurrent.futures").addHandler(logging.NullHandler())
print(sorted(logging.root.manager.loggerDict))
import asyncio
import asyncio.log
import concurrent.futures

print(sorted(logging.root.manager.loggerDict), logging.getLogger("asyncio").level, asyncio.log.logger.level)
logging.basicConfig(format="%(name)s %(message)s")
asyncio.log.logger.warning("not shown")
asyncio.log.logger.error("shown")
logging.getLogger("asyncio").setLevel(logging.DEBUG)
asyncio.log.logger.debug("shown, too")
print(asyncio.log.logger.parent, logging.getLogger("concurrent.futures").handlers, logging.getLogger("concurrent"))
