import { Link } from '@tanstack/react-router';
import type { HomeFragment } from '../../gql/types.js';

/** Leads somebody who is here for the first time: until they have an application that is installed somewhere. */
export function FirstSteps({ home: { applications, guilds } }: { home: HomeFragment }) {
  const [newest] = applications.slice(-1);
  const isInstalled = applications.some(({ serverCount }) => serverCount > 0);
  if (isInstalled) return null;
  return (
    <section className="card" aria-label="First steps">
      <h2>Three steps to a bot that answers</h2>
      <ol className="steps">
        <Step isDone={applications.length > 0} text="It gets a bot, a token and a client secret at once.">
          <Link to="/applications">Make an application</Link>
        </Step>
        <Step isDone={guilds.length > 0} text="A server is where people and bots talk.">
          <Link to="/servers">Make a server</Link>
        </Step>
        <Step isDone={false} text="Then run its commands in the server’s channels, and watch what it answers.">
          {newest ? (
            <a href={`/oauth2/authorize?client_id=${newest.id}`}>Install {newest.name} to it</a>
          ) : (
            'Install the application to the server'
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step({ isDone, text, children }: { isDone: boolean; text: string; children: React.ReactNode }) {
  return (
    <li className={isDone ? 'done' : undefined}>
      <b>{children}</b>
      {isDone && <span className="badge good">done</span>}
      <p className="soft small">{text}</p>
    </li>
  );
}
