import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  InstanceApplicationDocument,
  OperatorRestoreApplicationDocument,
  OperatorSuspendApplicationDocument,
} from '../../gql/instance/applications.js';
import type { InstanceApplicationPageFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Copyable } from '../../ui/copy.js';
import { Unshown } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Heading, Name, useTitle } from '../../ui/page.js';
import { Ago } from '../../ui/times.js';
import { say } from '../../ui/toasts.js';
import { TargetLog } from '../audit/instance-log.js';
import { ActDialog, SuspensionText } from './act-dialog.js';
import { ApplicationOwner } from './applications.js';
import { Suspension } from './suspension.js';
import { figure } from './words.js';

export function Application() {
  const { applicationId } = useParams({ from: '/frame/instance/applications/$applicationId' });
  return <OneApplication key={applicationId} id={applicationId} />;
}

function OneApplication({ id }: { id: string }) {
  const { data, error } = useQuery({ query: InstanceApplicationDocument, variables: { id } });
  if (!data) return error ? <Unshown error={error} /> : <Skeleton />;
  return <Parts application={data.instance.application} />;
}

interface ApplicationProps {
  application: InstanceApplicationPageFragment;
}

function Parts({ application }: ApplicationProps) {
  const { id, name, suspendedAt } = application;
  useTitle(name, 'Instance');
  return (
    <>
      <p className="small instance-back">
        <Link to="/instance/applications">All applications</Link>
      </p>
      <header className="noun">
        <div>
          <Heading>
            <Name>{name}</Name>
          </Heading>
          <p className="soft">
            Owned by <ApplicationOwner application={application} />
            {suspendedAt !== null && <span className="badge bad">suspended</span>}
          </p>
        </div>
      </header>
      <Suspension of={application} who="Its developers read" />
      <Facts application={application} />
      <section className="card">
        <h2>Actions</h2>
        <Actions application={application} />
      </section>
      <TargetLog id={id} />
    </>
  );
}

function Facts({ application: { id, description, createdAt, serverCount } }: ApplicationProps) {
  return (
    <section className="card">
      <h2>Details</h2>
      <Copyable label="Application ID" text={id} />
      <dl className="facts">
        <dt>Description</dt>
        <dd>{description === '' ? 'none' : <bdi>{description}</bdi>}</dd>
        <dt>Created</dt>
        <dd>
          <Ago at={createdAt} />
        </dd>
        <dt>Installed in</dt>
        <dd>{figure(serverCount, 'server')}</dd>
      </dl>
    </section>
  );
}

function Actions({ application }: ApplicationProps) {
  const [asked, ask] = useState<'suspend' | 'restore' | null>(null);
  const close = () => ask(null);
  const isSuspended = application.suspendedAt !== null;
  return (
    <>
      {isSuspended && (
        <div className="danger-row">
          <p>Its tokens, commands, interactions and webhooks work again.</p>
          <button type="button" onClick={() => ask('restore')}>
            Restore
          </button>
        </div>
      )}
      <div className="danger-row">
        <p>
          {isSuspended
            ? 'Change what its developers read.'
            : 'Its bot goes offline, and its tokens, commands, interactions and webhooks stop. Nothing is removed.'}
        </p>
        <button type="button" className={isSuspended ? 'plain' : 'bad'} onClick={() => ask('suspend')}>
          {isSuspended ? 'Change the text' : 'Suspend'}
        </button>
      </div>
      {asked === 'suspend' && <Suspend application={application} onClose={close} />}
      {asked === 'restore' && <Restore application={application} onClose={close} />}
    </>
  );
}

interface DialogProps extends ApplicationProps {
  onClose: () => void;
}

function Suspend({ application: { id, name, suspendedAt, suspensionText }, onClose }: DialogProps) {
  const before = suspensionText ?? '';
  const [text, setText] = useState(before);
  const isNew = suspendedAt === null;
  return (
    <ActDialog
      title={isNew ? `Suspend ${name}?` : `Change the text for ${name}?`}
      doIt={isNew ? 'Suspend' : 'Change the text'}
      isBad={isNew}
      document={OperatorSuspendApplicationDocument}
      variables={(reason) => ({ input: { applicationId: id, text, reason } })}
      isChanged={text !== before}
      onDone={() => {
        onClose();
        say(isNew ? `${name} is suspended.` : 'Saved');
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {isNew && (
            <p>
              Its gateway sessions close, its tokens are refused, and its commands, interactions and webhooks stop, in
              every server. It cannot be installed until you restore it.
            </p>
          )}
          <SuspensionText
            label="Text for the developers"
            hint="Its developers read it in the portal, for example what they have to change."
            value={text}
            fault={faults.text}
            onChange={setText}
          />
        </>
      )}
    </ActDialog>
  );
}

function Restore({ application: { id, name }, onClose }: DialogProps) {
  return (
    <ActDialog
      title={`Restore ${name}?`}
      doIt="Restore"
      document={OperatorRestoreApplicationDocument}
      variables={(reason) => ({ input: { applicationId: id, reason } })}
      onDone={() => {
        onClose();
        say(`${name} works again.`);
      }}
      onClose={onClose}
    >
      {() => <p>Its tokens are valid again, and its commands, interactions and webhooks work.</p>}
    </ActDialog>
  );
}
