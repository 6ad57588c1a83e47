# Prints the URL of the bot's avatar in stock discord.py.
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")
discord.asset.Asset.BASE = os.environ["CDN_URL"]

client = discord.Client(intents=discord.Intents.none())


@client.event
async def on_ready():
    print(f"picture {client.user.display_avatar.url}", flush=True)


client.run(os.environ["BOT_TOKEN"])
