import { type ReactNode, useState } from 'react';
import { NamedUserDocument, SetCommandPermissionDocument } from '../../../gql/servers/integrations/integration.js';
import { useQuery } from '../../../query.js';
import { Danger, useAction } from '../../../ui/action.js';
import { say } from '../../../ui/toasts.js';
import { isMessageChannel } from '../channels-of.js';
import { PersonField } from '../person-field.js';
import type { Say } from '../say.js';
import { useServer } from '../server.js';
import { ThreeStates } from '../three-states.js';
import { allChannels, type Grant, keyOf, sayOf } from './grants.js';

type Target = Pick<Grant, 'type' | 'id'> & { text: string };

interface GrantTableProps {
  applicationId: string;
  /** Null for the application's own list. */
  commandId: string | null;
  grants: readonly Grant[];
}

/** Saves each change at once. */
export function GrantTable({ applicationId, commandId, grants }: GrantTableProps) {
  const { id: guildId } = useServer();
  const { run, isBusy, problem } = useAction(SetCommandPermissionDocument);
  const [asked, setAsked] = useState<{ target: Target; said: Say } | null>(null);
  const set = async ({ type, id }: Target, allow: Say) => {
    const input = { guildId, applicationId, commandId, type, id, allow };
    if (!(await run({ input, applicationId }))) return;
    setAsked(null);
    say('Saved');
  };
  const choose = (target: Target, said: Say) =>
    isGrave(guildId, target, said) ? setAsked({ target, said }) : void set(target, said);
  return (
    <>
      {grants.length === 0 && <p className="hint">{emptyWords(commandId)}</p>}
      <GrantGroups grants={grants} onSay={choose} />
      {asked && (
        <Danger
          title={asked.said ? 'Allow everyone?' : 'Deny all channels?'}
          doIt={asked.said ? 'Allow everyone' : 'Deny all channels'}
          onDo={() => void set(asked.target, asked.said)}
          onClose={() => setAsked(null)}
          isBusy={isBusy}
          problem={problem}
        >
          <p>
            {asked.said
              ? 'All members will have access, except roles and members that you deny.'
              : 'Members will have access only in channels that you allow.'}
          </p>
        </Danger>
      )}
    </>
  );
}

function emptyWords(commandId: string | null): string {
  return commandId === null
    ? "No permissions set. By default, only the server's owner and administrators can run commands."
    : 'This command has no permissions of its own. The default for all commands applies.';
}

/** Changes that affect all members or all channels need confirmation. */
function isGrave(guildId: string, { type, id }: Target, said: Say): boolean {
  return (type === 'ROLE' && id === guildId && said === true) || (id === allChannels(guildId) && said === false);
}

interface GrantGroupsProps {
  grants: readonly Grant[];
  onSay: (target: Target, said: Say) => void;
}

function GrantGroups({ grants, onSay }: GrantGroupsProps) {
  const { id: guildId, roles, channels } = useServer();
  const [added, setAdded] = useState<string[]>([]);
  const known = new Set([...roles.map(({ id }) => id), ...channels.map(({ id }) => id), allChannels(guildId)]);
  const row = (target: Target) => (
    <GrantRow key={keyOf(target)} target={target} said={sayOf(grants, target)} onSay={onSay} />
  );
  const people = [...new Set([...grants.filter(({ type }) => type === 'USER').map(({ id }) => id), ...added])];
  const gone = grants.filter(({ type, id }) => type !== 'USER' && !known.has(id));
  return (
    <>
      <GrantGroup title="Roles">
        {roles.map(({ id, name }) => row({ type: 'ROLE', id, text: id === guildId ? '@everyone' : name }))}
      </GrantGroup>
      <GrantGroup title="Members">
        {people.map((id) => (
          <PersonGrant key={id} id={id} said={sayOf(grants, { type: 'USER', id })} onSay={onSay} />
        ))}
      </GrantGroup>
      <PersonField
        key={added.length}
        label="Add a member"
        onPick={(id) => id && setAdded((before) => [...before, id])}
      />
      <GrantGroup title="Channels">
        {row({ type: 'CHANNEL', id: allChannels(guildId), text: 'All channels' })}
        {channels.filter(isMessageChannel).map(({ id, name }) => row({ type: 'CHANNEL', id, text: `#${name}` }))}
      </GrantGroup>
      {gone.length > 0 && (
        <GrantGroup title="Deleted roles and channels">
          {gone.map((one) => row({ ...one, text: `ID ${one.id}` }))}
        </GrantGroup>
      )}
    </>
  );
}

function GrantGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grants" aria-label={title}>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

interface GrantRowProps {
  target: Target;
  said: Say;
  onSay: (target: Target, said: Say) => void;
}

function GrantRow({ target, said, onSay }: GrantRowProps) {
  return (
    <li>
      <bdi>{target.text}</bdi>
      <ThreeStates label={target.text} said={said} onSay={(state) => onSay(target, state)} />
    </li>
  );
}

function PersonGrant({ id, ...props }: Omit<GrantRowProps, 'target'> & { id: string }) {
  const { data } = useQuery({ query: NamedUserDocument, variables: { id } });
  return <GrantRow target={{ type: 'USER', id, text: data?.user?.username ?? id }} {...props} />;
}
