import { useRef } from 'react';
import { ResetClientSecretDocument } from '../../gql/applications/secrets.js';
import { useInstance } from '../../instance.js';
import { useAction } from '../../ui/action.js';
import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { Switch } from '../../ui/field.js';
import { useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { useApplication, useUpdateApplication } from './application.js';
import { useReason } from './reasons.js';
import { RedirectUris } from './redirect-uris.js';
import { SecretRow } from './secret-row.js';
import { UrlBuilder } from './url-builder.js';

export function OAuth2() {
  const { name } = useApplication();
  useTitle('OAuth2', name);
  return (
    <>
      <section className="card">
        <h2>Client</h2>
        <Client />
      </section>
      <section className="card">
        <h2>Redirects</h2>
        <Redirects />
      </section>
      <section className="card">
        <h2>Endpoints</h2>
        <Endpoints />
      </section>
      <UrlBuilder />
    </>
  );
}

function Client() {
  const { id, publicClient, ...application } = useApplication();
  const { run, isBusy, problem } = useAction(ResetClientSecretDocument, { isQuiet: true });
  const reset = async () => (await run({ input: { applicationId: id } }))?.resetClientSecret.clientSecret;
  return (
    <>
      <Copyable label="Client ID" text={id} />
      <SecretRow
        label="Client secret"
        known={{
          hint: application.clientSecretHint,
          createdAt: application.clientSecretCreatedAt,
          createdBy: application.clientSecretCreatedBy,
          lastUsedAt: application.clientSecretLastUsedAt,
        }}
        resetText="Reset client secret"
        reason={useReason('RESET_CLIENT_SECRET')}
        {...{ reset, isBusy, problem }}
      >
        <p>
          The current secret stops working immediately. Your apps can't exchange codes or refresh tokens until they use
          the new secret.
        </p>
        <p>Existing OAuth2 tokens and the bot token stay valid.</p>
      </SecretRow>
      {publicClient && (
        <p className="soft small">This is a public client, so the token endpoint accepts PKCE instead of the secret.</p>
      )}
    </>
  );
}

const NAMES = { publicClient: 'Public client', redirectUris: 'Redirect URIs' };

function Redirects() {
  const { publicClient, redirectUris } = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft<{ publicClient: boolean; redirectUris: readonly string[] }>({ publicClient, redirectUris });
  const sent = useRef<string[]>([]);
  const save = ({ redirectUris: rows, ...rest }: typeof draft.changes) => {
    sent.current = rows?.map((row) => row.trim()).filter((row) => row !== '') ?? [];
    return update({ ...rest, ...(rows ? { redirectUris: sent.current } : {}) });
  };
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={useReason('UPDATE_SETTINGS')}>
      {(faults) => (
        <>
          <RedirectUris
            rows={draft.value.redirectUris}
            onChange={(rows) => draft.set('redirectUris', rows)}
            faultOf={(row) => faults[`redirectUris.${sent.current.indexOf(row.trim())}`]}
            fault={faults.redirectUris}
          />
          <Switch
            label="Public client"
            hint="For apps that can't keep a secret, such as mobile apps. They use PKCE instead, and can't use the client credentials grant."
            fault={faults.publicClient}
            checked={draft.value.publicClient}
            onChange={({ target }) => draft.set('publicClient', target.checked)}
          />
        </>
      )}
    </DraftForm>
  );
}

function Endpoints() {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint } = useInstance();
  return (
    <>
      <Copyable label="Authorization endpoint" text={authorizationEndpoint} />
      <Copyable label="Token endpoint" text={tokenEndpoint} />
      <Copyable label="Revocation endpoint" text={revocationEndpoint} />
      <Copyable label="Metadata" text={`${issuer}/.well-known/oauth-authorization-server`} />
    </>
  );
}
