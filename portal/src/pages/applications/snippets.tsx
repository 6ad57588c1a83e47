import { type Instance, useInstance } from '../../instance.js';
import { Snippet } from '../../ui/snippet.js';

export function Snippets() {
  const instance = useInstance();
  return (
    <>
      <Snippet title="discord.js" what="discord.js snippet" text={discordJs(instance)} />
      <Snippet title="discord.py" what="discord.py snippet" text={discordPy(instance)} />
    </>
  );
}

function discordJs({ apiUrl }: Instance): string {
  return `import { Client, Events, GatewayIntentBits } from 'discord.js';

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: '${apiUrl}' },
});
client.once(Events.ClientReady, ({ user }) => console.log(\`\${user.tag} is online\`));
await client.login(process.env.BOT_TOKEN);`;
}

function discordPy({ apiUrl, gatewayUrl }: Instance): string {
  return `import os, discord, yarl

discord.http.Route.BASE = '${apiUrl}/v10'
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL('${gatewayUrl}')

client = discord.Client(intents=discord.Intents(guilds=True))

@client.event
async def on_ready():
    print(client.user, 'is online')

client.run(os.environ['BOT_TOKEN'])`;
}
