import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { TeamsChangedDocument, TeamsDocument } from '../../gql/teams/list.js';
import type { TeamCardFragment } from '../../gql/types.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Listing } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { NewTeam } from './new-team.js';
import { ROLE_WORDS } from './role-words.js';
import { counted, useMyRole } from './team.js';

export function Teams() {
  useTitle('Teams');
  const [isNew, setNew] = useState(false);
  const answer = useQuery({ query: TeamsDocument });
  useLive(TeamsChangedDocument, {});
  return (
    <>
      <div className="heading">
        <Heading>Teams</Heading>
        <button type="button" onClick={() => setNew(true)}>
          New team
        </button>
      </div>
      <Listing
        answer={answer}
        items={answer.data?.portalHome.teams}
        empty="Teams let several people manage applications together. Create a team, invite members, and choose each member's role."
        render={(team) => <TeamCard key={team.id} team={team} />}
      />
      {isNew && <NewTeam onClose={() => setNew(false)} />}
    </>
  );
}

/** Number of applications that the query requests. */
const APPLICATIONS_ASKED = 10;

function TeamCard({ team }: { team: TeamCardFragment }) {
  const { id, name, iconUrl, members, applications } = team;
  const role = useMyRole(team);
  return (
    <li className="tile">
      <Picture url={iconUrl} name={name} />
      <div>
        <Link to="/teams/$teamId" params={{ teamId: id }}>
          <Name>{name}</Name>
        </Link>
        {role && <span className="badge">{ROLE_WORDS[role]}</span>}
        <p className="soft small">
          {counted(members.length, 'member')} · {counted(applications.length, 'application', APPLICATIONS_ASKED)}
        </p>
      </div>
    </li>
  );
}
