import type { Gateway } from './gateway.js';
import { hidePresence } from './presence.js';
import { Session, type SessionProgress, type SessionTerms } from './session.js';

/** @param progress of a session that another process had */
export function openSession(gateway: Gateway, terms: SessionTerms, progress?: SessionProgress): Session {
  const { app, sessions } = gateway;
  const onEnd = (session: Session, departure: 'ended' | 'moved') => {
    sessions.delete(session.id);
    if (departure === 'ended') hidePresence(gateway, session);
    else session.presencePace.cancel();
    gateway.bots.remove(session);
    gateway.feeds.remove(session);
    app.metrics.gatewaySessions.set(sessions.size);
  };
  const session = new Session(app.clock, terms, onEnd, progress);
  sessions.set(session.id, session);
  app.metrics.gatewaySessions.set(sessions.size);
  return session;
}
