"""Connects any discord.py bot to Causeway without a change in its code:

    PYTHONPATH=./examples/any-bot python3 bot.py

Python imports a module with this name before the program. API_URL sets the URL of the API. The default is
http://localhost:4000/api.
"""

import os
import re

try:
    import discord
    import yarl
except ImportError:
    # This is another program in the same environment, such as pip.
    pass
else:
    # Libraries add the version themselves.
    api = yarl.URL(re.sub(r"(/v\d+)?/*$", "", os.environ.get("API_URL", "http://localhost:4000/api")))
    discord.http.Route.BASE = f"{api}/v10"
    discord.asset.Asset.BASE = str(api.origin() / "cdn")
    discord.invite.Invite.BASE = str(api.origin() / "invite")
    gateway = api.origin().with_scheme("wss" if api.scheme == "https" else "ws") / "gateway"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway
