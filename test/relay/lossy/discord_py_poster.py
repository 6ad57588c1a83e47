"""A stock discord.py client that sends one message over REST, with the retries of the library, and prints how that ended."""
import asyncio
import os

import discord
from discord.http import Route

Route.BASE = os.environ["ORIGIN"] + "/api/v10"


async def main():
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(os.environ["BOT_TOKEN"])
        channel = client.get_partial_messageable(int(os.environ["CHANNEL_ID"]))
        print("sending", flush=True)
        try:
            message = await channel.send("discord.py")
            print("sent", message.id, flush=True)
        except discord.HTTPException as error:
            print("failed", error.status, flush=True)


asyncio.run(main())
