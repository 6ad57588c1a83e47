import { Link } from '@tanstack/react-router';
import type { HomeFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';

/** Shown until a first application is installed and can respond. */
export function FirstSteps({ home: { applications, guilds } }: { home: HomeFragment }) {
  const [newest] = applications.slice(-1);
  const installed = applications.find(({ serverCount }) => serverCount > 0);
  if (installed) return applications.length === 1 && <ToStart application={installed} guild={guilds.at(-1)} />;
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

interface ToStartProps {
  application: HomeFragment['applications'][number];
  guild: HomeFragment['guilds'][number] | undefined;
}

/** For applications with neither a connected bot nor an endpoint. */
function ToStart({ application, guild }: ToStartProps) {
  const { id, name, botOnline, interactionsEndpointUrl } = application;
  if (botOnline || interactionsEndpointUrl !== null) return null;
  return (
    <section className="card" aria-label="First steps">
      <h2>
        <Name>{name}</Name> is installed: now start it
      </h2>
      <p>
        <Link to="/applications/$applicationId/bot" params={{ applicationId: id }}>
          Connect its program
        </Link>
        , with lines for the usual libraries, or{' '}
        <Link to="/applications/$applicationId/interactions" params={{ applicationId: id }}>
          name an endpoint
        </Link>{' '}
        that is asked over HTTP.
        {guild && (
          <>
            {' '}
            Then run a command in{' '}
            <Link to="/servers/$guildId/channels" params={{ guildId: guild.id }}>
              <Name>{guild.name}</Name>
            </Link>
            .
          </>
        )}
      </p>
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
