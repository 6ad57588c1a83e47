import { GatewayOpcodes } from 'discord-api-types/v10';
import { Payload } from './events.js';
import { HEARTBEAT_INTERVAL_MS } from './protocol.js';

/** A payload that is no dispatch. `s` and `t` are spelt out because some clients take an absent `s` for a number. */
function control(op: GatewayOpcodes, d: unknown = null): Payload {
  return new Payload(JSON.stringify({ t: null, s: null, op, d }));
}

/** The payloads outside the sequence; each is encoded once for all connections of a kind. */
export const controls = {
  hello: control(GatewayOpcodes.Hello, { heartbeat_interval: HEARTBEAT_INTERVAL_MS, _trace: ['["causeway"]'] }),
  heartbeatAck: control(GatewayOpcodes.HeartbeatAck),
  reconnect: control(GatewayOpcodes.Reconnect),
  invalidSession: control(GatewayOpcodes.InvalidSession, false),
};
