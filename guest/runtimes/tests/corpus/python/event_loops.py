import asyncio
import sys


async def child():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print(input())", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(b"to the child\n")
    return out, process.returncode


async def main():
    loop = asyncio.get_running_loop()
    print(type(loop).__name__, loop.get_debug(), await child(), await asyncio.to_thread(sum, [1, 2]))
    server = await asyncio.start_server(lambda r, w: (w.write(b"hello"), w.close()), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    print(await reader.read())
    writer.close()
    server.close()
    async with asyncio.timeout(0.01):
        await asyncio.sleep(5)


try:
    asyncio.get_running_loop()
except RuntimeError as error:
    print(error)
asyncio.run(main())
