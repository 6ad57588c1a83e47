import { Link } from '@tanstack/react-router';
import { HomeChangedDocument, HomeDocument } from '../../gql/home/home.js';
import type { HomeFragment } from '../../gql/types.js';
import { useInstance } from '../../instance.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Copyable } from '../../ui/copy.js';
import { Awaited } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { ApplicationCard } from '../applications/card.js';
import { BoxCard } from '../boxes/card.js';
import { FirstSteps } from './first-steps.js';
import { Invitations } from './invitations.js';

export function Home() {
  useTitle('Home');
  const answer = useQuery({ query: HomeDocument });
  const { data, error } = answer;
  useLive(HomeChangedDocument, {});
  return (
    <>
      <div className="heading">
        <Heading>Home</Heading>
      </div>
      {data ? <Things home={data.portalHome} /> : <Awaited answer={answer} />}
      {/* Rendered after the content above, to avoid a layout shift. */}
      {(data || error) && <Addresses />}
    </>
  );
}

function Addresses() {
  const { apiUrl, gatewayUrl } = useInstance();
  return (
    <section className="card">
      <h2>API endpoints</h2>
      <Copyable label="REST API" text={apiUrl} />
      <Copyable label="Gateway" text={gatewayUrl} />
      <p>
        Explore the GraphQL API in <a href="/graphql">GraphiQL</a>, or read the{' '}
        <a href="/reference">REST API reference</a>.
      </p>
    </section>
  );
}

function Things({ home }: { home: HomeFragment }) {
  const { applications, teams, guilds, boxes } = home;
  return (
    <>
      <Invitations home={home} />
      <FirstSteps home={home} />
      <Group title="Applications" to="/applications" isShown={applications.length > 0}>
        {applications.map((application) => (
          <ApplicationCard key={application.id} application={application} />
        ))}
      </Group>
      <Group title="Teams" to="/teams" isShown={teams.length > 0}>
        {teams.map(({ id, name, iconUrl }) => (
          <li className="tile" key={id}>
            <Picture url={iconUrl} name={name} />
            <Link to="/teams/$teamId" params={{ teamId: id }}>
              <Name>{name}</Name>
            </Link>
          </li>
        ))}
      </Group>
      <Group title="Servers" to="/servers" isShown={guilds.length > 0}>
        {guilds.map(({ id, name, iconUrl, tier }) => (
          <li className="tile" key={id}>
            <Picture url={iconUrl} name={name} />
            <div>
              <Link to="/servers/$guildId" params={{ guildId: id }}>
                <Name>{name}</Name>
              </Link>
              {tier === 'SELF_HOSTED' && <p className="soft small">self-hosted</p>}
            </div>
          </li>
        ))}
      </Group>
      <Group title="Boxes" to="/boxes" isShown={boxes.length > 0}>
        {boxes.map((box) => (
          <BoxCard key={box.id} box={box} />
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  title: string;
  to: '/applications' | '/teams' | '/servers' | '/boxes';
  isShown: boolean;
  children: React.ReactNode;
}

function Group({ title, to, isShown, children }: GroupProps) {
  if (!isShown) return null;
  return (
    <section aria-label={title}>
      <h2>
        <Link to={to}>{title}</Link>
      </h2>
      <ul className="tiles">{children}</ul>
    </section>
  );
}
