import { Link } from '@tanstack/react-router';
import type { ApplicationCardFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';

export function ApplicationCard({ application }: { application: ApplicationCardFragment }) {
  const { id, name, iconUrl, ownerTeam } = application;
  return (
    <li className="tile">
      <span className="overlaid">
        <Picture url={iconUrl} name={name} />
        {ownerTeam && <Picture url={ownerTeam.iconUrl} name={ownerTeam.name} />}
      </span>
      <div>
        <Link to="/applications/$applicationId" params={{ applicationId: id }}>
          <Name>{name}</Name>
        </Link>
        <p className="soft small">
          {ownerTeam ? (
            <>
              Owned by <bdi>{ownerTeam.name}</bdi>
            </>
          ) : (
            'Owned by you'
          )}
          {!application.public && <span className="badge">private</span>}
          {application.botOnline && <span className="badge good">online</span>}
        </p>
      </div>
    </li>
  );
}
