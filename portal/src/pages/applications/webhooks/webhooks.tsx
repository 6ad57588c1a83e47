import { useState } from 'react';
import { WebhooksChangedDocument, WebhooksDocument } from '../../../gql/applications/webhooks/webhooks.js';
import type { WebhookRowFragment } from '../../../gql/types.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { Awaited } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { useRowDialog } from '../../../ui/row-dialog.js';
import { useRowFocus } from '../../../ui/row-focus.js';
import { Ago } from '../../../ui/times.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { NewWebhook } from './new-webhook.js';
import { DeleteWebhook, EditWebhook } from './webhook-dialogs.js';
import './webhooks.css';

const MOST = 50;

export function Webhooks() {
  const application = useApplication();
  const { id } = application;
  useTitle('Webhooks', application.name);
  const answer = useQuery({ query: WebhooksDocument, variables: { id } });
  useLive(WebhooksChangedDocument, { id });
  const [isNew, setNew] = useState(false);
  const reason = useReason('MANAGE_WEBHOOKS');
  const webhooks = answer.data?.application?.webhooks;
  const isFull = webhooks !== undefined && webhooks.length >= MOST;
  return (
    <section className="card" aria-labelledby="webhooks">
      <div className="heading">
        <h2 id="webhooks">
          Webhooks{' '}
          {webhooks && (
            <span className="soft small">
              {webhooks.length}/{MOST}
            </span>
          )}
        </h2>
        <button type="button" disabled={reason !== undefined || isFull} onClick={() => setNew(true)}>
          New webhook
        </button>
      </div>
      {reason !== undefined && <p className="hint">{reason}</p>}
      {isFull && (
        <p className="hint">This application has reached the limit of {MOST} webhooks. Delete one to create another.</p>
      )}
      {webhooks ? <List webhooks={webhooks} isOff={reason !== undefined} /> : <Awaited answer={answer} />}
      {isNew && <NewWebhook onClose={() => setNew(false)} />}
    </section>
  );
}

function List({ webhooks, isOff }: { webhooks: readonly WebhookRowFragment[]; isOff: boolean }) {
  const rows = useRowFocus();
  const { dialog, open, close } = useRowDialog<'edit' | 'delete', WebhookRowFragment>(webhooks);
  return (
    <>
      {webhooks.length === 0 ? (
        <Empty />
      ) : (
        <ul className="webhooks" ref={rows}>
          {webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} isOff={isOff} onOpen={(what) => open(what, webhook)} />
          ))}
        </ul>
      )}
      {dialog?.what === 'edit' && <EditWebhook webhook={dialog.row} isGone={dialog.isGone} onClose={close} />}
      {dialog?.what === 'delete' && !dialog.isGone && <DeleteWebhook webhook={dialog.row} onClose={close} />}
    </>
  );
}

interface RowProps {
  webhook: WebhookRowFragment;
  isOff: boolean;
  onOpen: (what: 'edit' | 'delete') => void;
}

function Row({ webhook, isOff, onOpen }: RowProps) {
  const { name, tokenHint, createdAt, creator, lastExecutedAt } = webhook;
  return (
    <li aria-label={name}>
      <div>
        <p>
          <Name>{name}</Name>
        </p>
        <p className="small">
          <Target webhook={webhook} />
        </p>
        <p className="soft small">
          Token <code>{tokenHint}</code>, created <Ago at={createdAt} />
          {creator && (
            <>
              {' '}
              by <bdi>{creator.username}</bdi>
            </>
          )}
          {', '}
          {lastExecutedAt ? (
            <>
              last used <Ago at={lastExecutedAt} />
            </>
          ) : (
            'not used yet'
          )}
        </p>
      </div>
      <div className="buttons">
        <button
          type="button"
          className="plain small"
          aria-label={`Rename or move ${name}`}
          disabled={isOff}
          onClick={() => onOpen('edit')}
        >
          Rename or move
        </button>
        <button
          type="button"
          className="plain small"
          aria-label={`Delete ${name}`}
          disabled={isOff}
          onClick={() => onOpen('delete')}
        >
          Delete
        </button>
      </div>
    </li>
  );
}

/** A missing channel is either deleted or hidden from the user. */
function Target({ webhook: { channel, guild } }: { webhook: WebhookRowFragment }) {
  if (!guild) return <>Posts to a server that was deleted or that you're not in</>;
  return (
    <>
      {channel ? (
        <>
          Posts to <bdi>#{channel.name}</bdi>
        </>
      ) : (
        <span className="badge bad">channel deleted or hidden from you</span>
      )}{' '}
      in <bdi>{guild.name}</bdi>
    </>
  );
}

function Empty() {
  return (
    <div className="hint">
      <p>
        No webhooks yet. Create one to get a URL that posts messages to a channel. Any program can use it without a
        running bot or a bot token. For example, from a build server:
      </p>
      <CurlLine url={`${window.location.origin}/api/webhooks/…/…`} />
    </div>
  );
}

export function CurlLine({ url }: { url: string }) {
  const line = `curl -H 'content-type: application/json' -d '{"content":"The build is green."}' '${url}'`;
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll
  return <pre tabIndex={0}>{line}</pre>;
}
