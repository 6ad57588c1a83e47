import { useCallback, useEffect, useState } from 'react';
import { fetchInTime } from '../../fetch-in-time.js';
import { Skeleton } from '../../ui/listing.js';
import { wholeTextOf } from '../../ui/problems.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Ago } from '../../ui/times.js';
import { complain } from '../../ui/toasts.js';
import { askAccounts } from '../visitors/accounts.js';

interface Session {
  id: string;
  current: boolean;
  createdAt: string;
  userAgent: string | null;
  ipAddress: string | null;
}

export function Sessions() {
  const [sessions, setSessions] = useState<Session[]>();
  const [isRefused, setRefused] = useState(false);
  const rows = useRowFocus();
  const load = useCallback(async () => {
    const response = await fetchInTime('/auth/list-sessions').catch(() => null);
    setRefused(!response?.ok);
    if (response?.ok) setSessions(await response.json());
  }, []);
  useEffect(() => {
    void load();
  }, [load]);
  const end = async (path: string, body: object) => {
    const refused = await askAccounts(path, body);
    if (refused) complain(wholeTextOf(refused));
    await load();
  };
  return (
    <section className="card">
      <h2>Sessions</h2>
      {isRefused && (
        <div className="notice" role="alert">
          <p>Your sessions could not be loaded.</p>
          <button type="button" className="plain small" onClick={load}>
            Try again
          </button>
        </div>
      )}
      {!sessions && !isRefused && <Skeleton lines={1} />}
      <ul className="list" ref={rows}>
        {sessions?.map(({ id, current, createdAt, userAgent, ipAddress }) => (
          <li key={id}>
            <div>
              <b>{userAgent ?? 'Unknown device'}</b> {current && <span className="badge good">current</span>}
              <p className="soft small">
                {ipAddress ?? 'Unknown IP address'} · signed in <Ago at={createdAt} />
              </p>
            </div>
            {!current && (
              <button
                type="button"
                className="plain small"
                aria-label={`Sign out ${userAgent ?? 'unknown device'} at ${ipAddress ?? 'unknown IP address'}`}
                onClick={() => end('revoke-session', { id })}
              >
                Sign out
              </button>
            )}
          </li>
        ))}
      </ul>
      {sessions && sessions.length > 1 && (
        <button type="button" className="plain" onClick={() => end('revoke-other-sessions', {})}>
          Sign out all other sessions
        </button>
      )}
    </section>
  );
}
