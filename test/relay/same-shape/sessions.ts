import { type Frame, GatewayClient } from '../../harness/gateway-client.js';
import { alike, type Twin, type Twins } from '../../harness/twins.js';
import { say } from '../../harness/world.js';

/** The parts of an event that are the same for both guilds. */
export interface Dispatched {
  t: string | null;
  d: Frame['d'];
}

const OF_THE_CLOUD_ALONE: Readonly<Record<string, string>> = {
  GUILD_AUDIT_LOG_ENTRY_CREATE: 'docs/relay.md, R-34: no such event is sent',
  GUILD_EMOJIS_UPDATE: 'docs/relay.md, R-34: no such event is sent',
  INVITE_CREATE: 'docs/parity.md: there are no invites to read',
  INVITE_DELETE: 'docs/parity.md: there are no invites to read',
  PRESENCE_UPDATE: 'service description, section 6: not emitted',
};

export class Session {
  private constructor(
    private readonly twins: Twins,
    readonly client: GatewayClient,
    readonly created: { cloud: Frame; box: Frame },
  ) {}

  static async open(twins: Twins, token: string, more: object = {}): Promise<Session> {
    const client = await GatewayClient.open(twins.all.cloud.origin);
    await client.ready(token, more);
    const of = ({ guild }: Twin) => {
      const found = client.frames.find(({ t, d }) => t === 'GUILD_CREATE' && d.id === String(guild.id));
      if (!found) throw new Error('a guild was not shown');
      return found;
    };
    return new Session(twins, client, { cloud: of(twins.cloud), box: of(twins.box) });
  }

  /** Posts a message as the guild's owner and returns the events up to it. */
  async until(twin: Twin, mark: string): Promise<Dispatched[]> {
    const { home, guild, people } = twin;
    await say(home.app, guild, people.owner, mark, { nonce: mark });
    return this.read(twin, mark);
  }

  /** The events of a guild up to a message that was written after them. */
  async read(twin: Twin, mark: string): Promise<Dispatched[]> {
    const told: Dispatched[] = [];
    for (;;) {
      const { t, d } = await this.client.next(({ op, d: data }) => op === 0 && isAbout(twin, data));
      if (t === 'MESSAGE_CREATE' && d.nonce === mark) return told;
      if (t === null || t in OF_THE_CLOUD_ALONE) continue;
      told.push({ t, d: alike(d, twin, this.twins.all) });
    }
  }
}

function isAbout({ guild }: Twin, data: Frame['d']): boolean {
  return [data?.guild_id, data?.id].includes(String(guild.id));
}
