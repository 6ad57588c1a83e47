import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  InstanceServerDocument,
  OperatorDeleteServerDocument,
  OperatorTransferServerDocument,
} from '../../gql/instance/servers.js';
import type { InstanceServerPageFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Copyable } from '../../ui/copy.js';
import { Unshown } from '../../ui/endings.js';
import { TextField } from '../../ui/field.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { say } from '../../ui/toasts.js';
import { TargetLog } from '../audit/instance-log.js';
import { nameOf } from '../teams/person.js';
import { ActDialog } from './act-dialog.js';
import { PersonLink } from './person-link.js';
import { PersonSearch } from './person-search.js';
import { figure } from './words.js';

export function Server() {
  const { guildId } = useParams({ from: '/frame/instance/servers/$guildId' });
  return <OneServer key={guildId} id={guildId} />;
}

function OneServer({ id }: { id: string }) {
  const { data, error } = useQuery({ query: InstanceServerDocument, variables: { id } });
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  return <Parts server={data.instance.server} />;
}

interface ServerProps {
  server: InstanceServerPageFragment;
}

function Parts({ server }: ServerProps) {
  const { id, name, owner } = server;
  useTitle(name, 'Instance');
  return (
    <>
      <p className="small instance-back">
        <Link to="/instance/servers">All servers</Link>
      </p>
      <header className="noun">
        <div>
          <Heading>
            <Name>{name}</Name>
          </Heading>
          <p className="soft">
            Owned by <PersonLink user={owner} />
          </p>
        </div>
      </header>
      <Facts server={server} />
      <section className="card">
        <h2>Actions</h2>
        <Actions server={server} />
      </section>
      <TargetLog id={id} />
    </>
  );
}

function Facts({ server: { id, createdAt, memberCount, figures } }: ServerProps) {
  return (
    <section className="card">
      <h2>Details</h2>
      <Copyable label="Server ID" text={id} />
      <dl className="facts">
        <dt>Created</dt>
        <dd>
          <Ago at={createdAt} />
        </dd>
        <dt>Members</dt>
        <dd>{memberCount.toLocaleString('en')}, with bots</dd>
        <dt>Contents</dt>
        <dd>
          {figure(figures.messages, 'message')} in {figure(figures.channels, 'channel')}
        </dd>
      </dl>
    </section>
  );
}

function Actions({ server }: ServerProps) {
  const [asked, ask] = useState<'transfer' | 'delete' | null>(null);
  const close = () => ask(null);
  return (
    <>
      <div className="danger-row">
        <p>Make another member the owner, for example if the owner has left.</p>
        <button type="button" className="plain" onClick={() => ask('transfer')}>
          Transfer ownership
        </button>
      </div>
      <div className="danger-row">
        <p>Permanently delete this server and everything in it.</p>
        <button type="button" className="bad" onClick={() => ask('delete')}>
          Delete server
        </button>
      </div>
      {asked === 'transfer' && <Transfer server={server} onClose={close} />}
      {asked === 'delete' && <Delete server={server} onClose={close} />}
    </>
  );
}

interface DialogProps extends ServerProps {
  onClose: () => void;
}

function Transfer({ server: { id, name, owner }, onClose }: DialogProps) {
  const [ownerId, setOwnerId] = useState<string>();
  return (
    <ActDialog
      title={`Transfer ${name}?`}
      doIt="Transfer ownership"
      document={OperatorTransferServerDocument}
      variables={(reason) => ({ input: { guildId: id, ownerId: ownerId ?? '', reason } })}
      isChanged={ownerId !== undefined}
      isReady={ownerId !== undefined}
      onDone={({ operatorTransferServer: { server } }) => {
        onClose();
        say(`${nameOf(server.owner)} owns ${name} now.`);
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p>
            The new owner can do everything in the server. <Name>{nameOf(owner)}</Name> stays a member.
          </p>
          <PersonSearch label="New owner" hint="A member of the server." fault={faults.ownerId} onPick={setOwnerId} />
        </>
      )}
    </ActDialog>
  );
}

function Delete({ server: { id, name, figures, memberCount }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  return (
    <ActDialog
      title={`Delete ${name}?`}
      doIt="Delete server"
      isBad
      document={OperatorDeleteServerDocument}
      variables={(reason) => ({ input: { guildId: id, reason } })}
      isChanged={typed !== ''}
      isReady={typed === name}
      onDone={() => {
        onClose();
        say(`${name} was deleted.`);
        void navigate({ to: '/instance/servers', ignoreBlocker: true });
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            This permanently deletes{' '}
            <b>
              {figure(figures.messages, 'message')} in {figure(figures.channels, 'channel')}
            </b>
            , and all roles and invites. {memberCount === 1 ? 'Its only member loses' : 'All its members lose'} access,
            and all applications are uninstalled.
          </p>
          <TextField
            label="Type the server's name"
            hint={
              <>
                Enter <bdi>{name}</bdi> to confirm.
              </>
            }
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
    </ActDialog>
  );
}
