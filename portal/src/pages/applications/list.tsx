import { useState } from 'react';
import {
  ApplicationsChangedDocument,
  ApplicationsDocument,
  MoreApplicationsDocument,
} from '../../gql/applications/list.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { isFull, Listing, More } from '../../ui/listing.js';
import { Heading, useTitle } from '../../ui/page.js';
import { ApplicationCard } from './card.js';
import { NewApplication } from './new-application.js';

export function Applications() {
  useTitle('Applications');
  const [isNew, setNew] = useState(false);
  const answer = useQuery({ query: ApplicationsDocument });
  useLive(ApplicationsChangedDocument, {});
  const applications = answer.data?.portalHome.applications;
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
        items={applications}
        empty="No applications yet. Create one to get an application ID, a bot token and a client secret."
        render={(application) => <ApplicationCard key={application.id} application={application} />}
      />
      {isFull(applications) && <MoreApplications after={applications.at(-1)?.id ?? ''} />}
      {isNew && <NewApplication onClose={() => setNew(false)} />}
    </>
  );
}

function MoreApplications({ after }: { after: string }) {
  return (
    <More>
      <NextApplications after={after} />
    </More>
  );
}

function NextApplications({ after }: { after: string }) {
  const answer = useQuery({ query: MoreApplicationsDocument, variables: { after } });
  const applications = answer.data?.applications;
  return (
    <>
      <Listing
        answer={answer}
        items={applications}
        empty="No more applications."
        render={(application) => <ApplicationCard key={application.id} application={application} />}
      />
      {isFull(applications) && <MoreApplications after={applications.at(-1)?.id ?? ''} />}
    </>
  );
}
