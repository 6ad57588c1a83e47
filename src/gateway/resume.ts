import { GatewayDispatchEvents } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import type { AuthenticatedBot } from '../domain/applications/index.js';
import type { Admission, Applicant } from './admission.js';
import { bareToken } from './bare-token.js';
import { Closing } from './closing.js';
import { eventOf } from './events.js';
import { asksTooMuch } from './intents.js';
import type { ResumeData } from './payloads.js';
import { showPresence } from './presence.js';
import { closes } from './protocol.js';

const SESSION_ID = /^[0-9a-f]{32}$/;

/**
 * Moves a session to `connection` and sends the missed events.
 * @throws Closing 4004 for an invalid token, 4007 for an impossible `seq`, 4014 for an intent disabled since IDENTIFY
 */
export async function resume(connection: Applicant, data: ResumeData): Promise<Admission> {
  const { app, sessions, moves, lostSessions, admissions } = connection.gateway;
  const authenticated = await authenticate(app, data);
  const { id } = authenticated.actor.user;
  const mayExist = SESSION_ID.test(data.session_id);
  const wasHere = sessions.has(data.session_id);
  const isLast = mayExist && (await moves.fetch(data.session_id, id, connection));
  // During a move, the token or an intent may change.
  const bot = wasHere ? authenticated : await authenticate(app, data);
  const session = sessions.get(data.session_id);
  const mayResume = isLast && session?.botId === id && !connection.isClosed;
  if (!session || !mayResume) {
    if (!session && mayExist && !moves.isLeaving) await lostSessions.giveBack(data.session_id, id);
    await admissions.delayRefusal();
    return { refused: true, retryAfterMs: 0 };
  }
  if (asksTooMuch(session.intents, bot.privilegedIntents)) {
    session.end(closes.disallowedIntents);
    throw new Closing(closes.disallowedIntents);
  }
  session.setPrivileges(bot.privilegedIntents);
  const replayed = session.sequence - data.seq;
  const outcome = session.resume(
    connection,
    data.seq,
    eventOf(GatewayDispatchEvents.Resumed, { _trace: ['["causeway"]'] }),
  );
  switch (outcome) {
    case 'resumed':
      app.metrics.gatewayReplayedEvents.inc(replayed);
      void showPresence(connection.gateway, session);
      return { session };
    case 'lost':
      session.end(closes.movedAway);
      return { refused: true, retryAfterMs: 0 };
    case 'ahead':
      session.end(closes.invalidSequence);
      throw new Closing(closes.invalidSequence);
  }
}

/** @throws Closing 4004 for an invalid token */
async function authenticate(app: AppContext, { token }: ResumeData): Promise<AuthenticatedBot> {
  const bot = await app.botTokens.authenticate(bareToken(token));
  if (!bot) throw new Closing(closes.authenticationFailed);
  return bot;
}
