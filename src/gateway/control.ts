import { GatewayOpcodes } from 'discord-api-types/v10';
import { Payload } from './events.js';
import { HEARTBEAT_INTERVAL_MS } from './protocol.js';

/** `s` and `t` are explicit nulls, because some clients treat an absent `s` as a number. */
function control(op: GatewayOpcodes, d: unknown = null): Payload {
  return new Payload(JSON.stringify({ t: null, s: null, op, d }));
}

/** Payloads without a sequence number, encoded once per encoding. */
export const controls = {
  hello: control(GatewayOpcodes.Hello, { heartbeat_interval: HEARTBEAT_INTERVAL_MS, _trace: ['["causeway"]'] }),
  heartbeatAck: control(GatewayOpcodes.HeartbeatAck),
  reconnect: control(GatewayOpcodes.Reconnect),
  invalidSession: control(GatewayOpcodes.InvalidSession, false),
};
