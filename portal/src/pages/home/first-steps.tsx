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
      <h2>Create your first bot in three steps</h2>
      <ol className="steps">
        <Step isDone={applications.length > 0} text="You get a bot user, a bot token and a client secret.">
          <Link to="/applications">Create an application</Link>
        </Step>
        <Step isDone={guilds.length > 0} text="A server is where people and bots talk.">
          <Link to="/servers">Create a server</Link>
        </Step>
        <Step isDone={false} text="Then run its commands in a channel and see how it responds.">
          {newest ? (
            <a href={`/oauth2/authorize?client_id=${newest.id}`}>Install {newest.name} on your server</a>
          ) : (
            'Install the application on your server'
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
        Next step: start <Name>{name}</Name>
      </h2>
      <p>
        <Link to="/applications/$applicationId/bot" params={{ applicationId: id }}>
          Connect your bot to the gateway
        </Link>{' '}
        with sample code for common libraries, or{' '}
        <Link to="/applications/$applicationId/interactions" params={{ applicationId: id }}>
          set an endpoint URL
        </Link>{' '}
        to receive interactions over HTTP.
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
