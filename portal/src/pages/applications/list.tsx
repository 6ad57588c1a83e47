import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { ApplicationsDocument } from '../../gql/applications/list.js';
import type { ApplicationCardFragment } from '../../gql/types.js';
import { Listing } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { NewApplication } from './new-application.js';

/** The caller's applications, and those of their teams. */
export function Applications() {
  useTitle('Applications');
  const [isNew, setNew] = useState(false);
  const [answer] = useQuery({ query: ApplicationsDocument, variables: {} });
  return (
    <>
      <div className="heading">
        <Heading>Applications</Heading>
        <button type="button" onClick={() => setNew(true)}>
          New application
        </button>
      </div>
      <Listing
        answer={answer}
        items={answer.data?.applications}
        empty="Make your first application: a bot, its commands, and what others install. It gets an id, a bot token and a client secret at once."
        render={(application) => <ApplicationCard key={application.id} application={application} />}
      />
      {isNew && <NewApplication onClose={() => setNew(false)} />}
    </>
  );
}

/** An application in a list. */
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
              of <bdi>{ownerTeam.name}</bdi>
            </>
          ) : (
            'yours'
          )}
          {!application.public && <span className="badge">private</span>}
        </p>
      </div>
    </li>
  );
}
