import { GatewayDispatchEvents, GatewayOpcodes } from 'discord-api-types/v10';
import { Connection, type ConnectionClass, Payload, Piece } from '../../gateway/index.js';
import type { ConnectionFault, GatewayFault } from '../protocol.js';
import type { Sandbox } from '../sandbox.js';
import type { BuiltApplication, BuiltGuild } from '../worlds/build.js';
import type { World } from '../worlds/world.js';
import { applicationOfToken, withoutSecrets } from './credentials.js';

interface GatewayPayload {
  op: number;
  t?: string | null;
  d?: unknown;
}

type Bot = { world: World; application: BuiltApplication };

/** Not in the transcript: it would hide the rest. */
const HEARTBEATS: readonly number[] = [GatewayOpcodes.Heartbeat, GatewayOpcodes.HeartbeatAck];

const HELLO = { t: null, s: null, op: GatewayOpcodes.Hello };

/** Puts payloads of bots into the transcript and applies the faults of their worlds. */
export function interceptGateway(sandbox: Sandbox): ConnectionClass {
  return class InterceptedConnection extends Connection {
    #bot: Bot | null = null;
    /** Payloads that `reorder` holds, each until so many later ones were sent. */
    #held: { payload: Payload; fault: GatewayFault['effect']; later: number }[] = [];

    override send(payload: Payload): void {
      const text = textOf(payload);
      const content = JSON.parse(text) as GatewayPayload;
      const bot = this.#bot;
      if (!bot) {
        this.#sendBefore(content, payload);
        return;
      }
      if (!HEARTBEATS.includes(content.op)) {
        const name = content.t ?? GatewayOpcodes[content.op];
        bot.world.transcript.add({
          kind: 'event',
          text: `${bot.application.name} ← ${name}`,
          data: withoutSecrets(content.d),
        });
      }
      const guild = hiddenGuildOf(bot.world, content);
      if (guild && content.t !== GatewayDispatchEvents.GuildDelete) {
        noteFault(bot, content, `not sent, because ${guild.name} is unavailable`);
        return;
      }
      if (guild) bot.world.faults.noteUnavailable(guild);
      const fault = bot.world.faults.onPayload(bot.application.name, content);
      if (!fault) {
        this.#sendNow(payload);
        if (content.t === GatewayDispatchEvents.GuildCreate) {
          sandbox.connections.noteGuild(bot.application.id, String(fieldOf(content.d, 'id')));
        }
        return;
      }
      noteFault(bot, content, JSON.stringify(fault));
      // The gateway changes its payload for the next session, so a later one needs a copy.
      this.#disturb(fault, new Payload('', [new Piece(text)]));
    }

    override receive(message: Buffer): void {
      const content = contentOf(message);
      if (content) this.#recognize(content);
      const bot = this.#bot;
      if (!bot || !content) {
        super.receive(message);
        return;
      }
      if (!HEARTBEATS.includes(content.op)) {
        const data = withoutSecrets(content.d);
        bot.world.transcript.add({
          kind: 'gateway',
          text: `${bot.application.name} → ${GatewayOpcodes[content.op]}`,
          data,
        });
      }
      const fault = bot.world.faults.onPayload(bot.application.name, { op: content.op });
      if (!fault) {
        super.receive(message);
        return;
      }
      noteFault(bot, content, JSON.stringify(fault));
      this.#disturbReceived(fault, message);
    }

    override closed(code: number): void {
      const bot = this.#bot;
      if (bot) {
        sandbox.connections.delete(bot.application.id, this);
        bot.world.transcript.add({
          kind: 'gateway',
          text: `${bot.application.name}: the connection closed with ${code}`,
        });
      }
      super.closed(code);
    }

    /** HELLO comes before the bot says who it is, so that a rule of any world applies to it. */
    #sendBefore(content: GatewayPayload, payload: Payload): void {
      for (const world of sandbox.worlds) {
        const fault = world.faults.onPayload(null, content);
        if (!fault) continue;
        world.transcript.add({ kind: 'fault', text: `${GatewayOpcodes[content.op]}: ${JSON.stringify(fault)}` });
        this.#disturb(fault, new Payload(textOf(payload)));
        return;
      }
      super.send(payload);
    }

    /** By the token of IDENTIFY or RESUME, which the platform checks. */
    #recognize({ op, d }: GatewayPayload): void {
      if (op !== GatewayOpcodes.Identify && op !== GatewayOpcodes.Resume) return;
      const id = applicationOfToken(String(fieldOf(d, 'token')));
      this.#bot = id === null ? null : sandbox.worldOf(id);
      if (!this.#bot) return;
      const intents = op === GatewayOpcodes.Identify ? Number(fieldOf(d, 'intents')) : null;
      sandbox.connections.add(this.#bot.application.id, this, intents);
    }

    #disturb(fault: GatewayFault['effect'], payload: Payload): void {
      switch (fault.type) {
        case 'drop':
          return;
        case 'duplicate':
          super.send(payload);
          this.#sendNow(payload);
          return;
        case 'delay':
          setTimeout(() => this.#sendNow(payload), fault.ms);
          return;
        case 'reorder':
          // A rule that held each payload would change no order.
          if (this.#held.some((held) => held.fault === fault)) this.#sendNow(payload);
          else this.#held.push({ payload, fault, later: fault.count });
          return;
        case 'heartbeatInterval':
          super.send(new Payload(JSON.stringify({ ...HELLO, d: { heartbeat_interval: fault.ms } })));
          return;
        default:
          this.disturb(fault);
      }
    }

    #disturbReceived(fault: GatewayFault['effect'], message: Buffer): void {
      switch (fault.type) {
        case 'drop':
        case 'reorder':
        case 'heartbeatInterval':
          return;
        case 'duplicate':
          super.receive(message);
          super.receive(message);
          return;
        case 'delay':
          setTimeout(() => super.receive(message), fault.ms);
          return;
        default:
          this.disturb(fault);
      }
    }

    /** Applies effects that concern the connection and not one payload. */
    disturb(fault: ConnectionFault): void {
      switch (fault.type) {
        case 'close':
          this.close({ code: fault.code, reason: 'Injected by the sandbox.', client: 'resume' });
          return;
        case 'reconnect':
          super.send(new Payload(JSON.stringify({ t: null, s: null, op: GatewayOpcodes.Reconnect, d: null })));
          return;
        case 'invalidSession':
          super.send(
            new Payload(JSON.stringify({ t: null, s: null, op: GatewayOpcodes.InvalidSession, d: fault.resumable })),
          );
          return;
      }
    }

    /** Then sends what waited for it. */
    #sendNow(payload: Payload): void {
      super.send(payload);
      for (const held of this.#held) held.later -= 1;
      const due = this.#held.filter(({ later }) => later <= 0);
      this.#held = this.#held.filter(({ later }) => later > 0);
      for (const { payload } of due) super.send(payload);
    }
  };
}

function textOf(payload: Payload): string {
  return payload.head + Buffer.concat(payload.pieces.map(({ bytes }) => bytes)).toString();
}

function fieldOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
}

/** Null for what the gateway refuses anyway. */
function contentOf(message: Buffer): GatewayPayload | null {
  try {
    const content = JSON.parse(message.toString()) as GatewayPayload | null;
    return typeof content === 'object' && typeof content?.op === 'number' ? content : null;
  } catch {
    return null;
  }
}

function noteFault({ world, application }: Bot, { op, t }: GatewayPayload, effect: string): void {
  world.transcript.add({ kind: 'fault', text: `${application.name} ${t ?? GatewayOpcodes[op]}: ${effect}` });
}

/** The server that the event is about, if a rule makes it unavailable. */
function hiddenGuildOf({ guilds, faults }: World, { t, d }: GatewayPayload): BuiltGuild | null {
  const isOfGuild = t === GatewayDispatchEvents.GuildCreate || t === GatewayDispatchEvents.GuildDelete;
  const id = fieldOf(d, isOfGuild ? 'id' : 'guild_id');
  const guild = guilds.find((one) => String(one.id) === id);
  return guild && faults.isUnavailable(guild) ? guild : null;
}
