import { Link } from '@tanstack/react-router';
import type { BoxCardFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';

export function BoxCard({ box }: { box: BoxCardFragment }) {
  const { id, name, guilds, protocolVersion } = box;
  return (
    <li className="tile">
      <div>
        <Link to="/boxes/$boxId" params={{ boxId: id }}>
          <Name>{name}</Name>
        </Link>
        <p className="soft small lead">
          <BoxState box={box} /> · {guilds.length === 1 ? '1 server' : `${guilds.length} servers`}
          {protocolVersion !== null && ` · protocol version ${protocolVersion}`}
        </p>
      </div>
    </li>
  );
}

export function BoxState({ box: { status, lastSeenAt } }: { box: Pick<BoxCardFragment, 'status' | 'lastSeenAt'> }) {
  switch (status) {
    case 'CONNECTED':
      return <span className="badge good">online</span>;
    case 'DISCONNECTED':
      return (
        <span className="badge bad">
          offline
          {lastSeenAt !== null && (
            <>
              , last seen <Ago at={lastSeenAt} />
            </>
          )}
        </span>
      );
    case 'NEVER_CONNECTED':
      return <span className="badge warn">never connected</span>;
  }
}
