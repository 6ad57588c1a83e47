import { type Instance, useInstance } from '../../instance.js';
import { CopyButton } from '../../ui/copy.js';

/** Programs that connect the bot to this instance, in two libraries. */
export function Snippets() {
  const instance = useInstance();
  return (
    <>
      <Snippet library="discord.js" text={discordJs(instance)} />
      <Snippet library="discord.py" text={discordPy(instance)} />
    </>
  );
}

function Snippet({ library, text }: { library: string; text: string }) {
  return (
    <div className="snippet">
      <div className="heading">
        <h3>{library}</h3>
        <CopyButton text={text} what={`the snippet for ${library}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard, too */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

function discordJs({ apiUrl }: Instance): string {
  return `import { Client, Events, GatewayIntentBits } from 'discord.js';

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: '${apiUrl}' },
});
client.once(Events.ClientReady, ({ user }) => console.log(\`\${user.tag} is here\`));
await client.login(process.env.BOT_TOKEN);`;
}

function discordPy({ apiUrl, gatewayUrl }: Instance): string {
  return `import os, discord, yarl

discord.http.Route.BASE = '${apiUrl}/v10'
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL('${gatewayUrl}')

client = discord.Client(intents=discord.Intents(guilds=True))

@client.event
async def on_ready():
    print(client.user, 'is here')

client.run(os.environ['BOT_TOKEN'])`;
}
