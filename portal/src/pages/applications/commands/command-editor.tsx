import { type ReactNode, type RefObject, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import { type Draft, isSame, useDraft } from '../../../ui/draft.js';
import { Select, Switch, TextArea, TextField } from '../../../ui/field.js';
import { DraftForm } from '../../../ui/save.js';
import { type Body, CHAT_INPUT, FIELD_NAMES, jsonOf, parseBody } from './command-body.js';
import { Checks, type Faults, TranslationRows } from './command-fields.js';
import { Preview } from './command-preview.js';
import { OptionList } from './option-editor.js';

interface CommandEditorProps {
  /** The saved command. */
  live: Body;
  /** A registered command keeps its type. */
  isRegistered: boolean;
  /** A guild command has no contexts. */
  isOfServer: boolean;
  readOnly: string | undefined;
  /** Resolves to undefined if the user canceled. */
  save(changes: Partial<Body>, whole: Body): Promise<{ error?: CombinedError | undefined } | undefined>;
}

/** Form and JSON views, kept in sync. */
export function CommandEditor({ live, isRegistered, isOfServer, readOnly, save }: CommandEditorProps) {
  const { draft, json } = useBothViews(live, isRegistered);
  const view = useRef<HTMLTextAreaElement>(null);
  const send = async (changes: Partial<Body>) => {
    if (json.fault === null) return save(changes, draft.value);
    view.current?.focus();
    return undefined;
  };
  return (
    <DraftForm draft={draft} names={FIELD_NAMES} save={send} readOnly={readOnly}>
      {(faults) => (
        <Views
          draft={draft}
          json={json}
          view={view}
          faults={inCommand(faults)}
          isRegistered={isRegistered}
          isOfServer={isOfServer}
        />
      )}
    </DraftForm>
  );
}

type Json = ReturnType<typeof useBothViews>['json'];

/** Invalid JSON is kept as typed and disables the form. The text is formatted again once the form differs from it. */
function useBothViews(live: Body, isRegistered: boolean) {
  const draft = useDraft(live);
  const [typed, setTyped] = useState<string | null>(null);
  const read = typed === null ? null : readAs(typed, isRegistered ? live.type : null);
  const fault = read && 'fault' in read ? read.fault : null;
  const isInStep = read !== null && 'body' in read && isSame(read.body, draft.value);
  const type = (text: string) => {
    setTyped(text);
    const next = readAs(text, isRegistered ? live.type : null);
    if ('body' in next) for (const [field, value] of Object.entries(next.body)) draft.set(field as keyof Body, value);
  };
  const takeBack = () => setTyped(null);
  const discard = () => {
    takeBack();
    draft.discard();
  };
  return {
    draft: { ...draft, discard, isChanged: draft.isChanged || fault !== null } satisfies Draft<Body>,
    json: { text: typed !== null && (fault !== null || isInStep) ? typed : jsonOf(draft.value), fault, type, takeBack },
  };
}

/** @param type required type; null for any */
function readAs(text: string, type: number | null): ReturnType<typeof parseBody> {
  const read = parseBody(text);
  if (type === null || 'fault' in read || read.body.type === type) return read;
  return { fault: `Type must be ${type}: the type of a registered command can't be changed.` };
}

/** Strips `command.` from the error paths. */
function inCommand(faults: Record<string, string>): Faults {
  return Object.fromEntries(Object.entries(faults).map(([path, fault]) => [path.replace(/^command\.?/, ''), fault]));
}

interface ViewsProps {
  draft: Draft<Body>;
  json: Json;
  view: RefObject<HTMLTextAreaElement | null>;
  faults: Faults;
  isRegistered: boolean;
  isOfServer: boolean;
}

function Views({ draft, json, view, faults, isRegistered, isOfServer }: ViewsProps) {
  return (
    <div className="views">
      <fieldset disabled={json.fault !== null} aria-label="Form">
        <Fields draft={draft} faults={faults} isRegistered={isRegistered} isOfServer={isOfServer} />
      </fieldset>
      <div className="command-beside">
        <Preview body={draft.value} />
        <JsonView json={json} view={view} />
        <Refused faults={faults} />
      </div>
    </div>
  );
}

function JsonView({ json: { text, fault, type, takeBack }, view }: Pick<ViewsProps, 'json' | 'view'>) {
  return (
    <>
      <TextArea
        label="JSON"
        ref={view}
        hint="The request body for this command. Edit it here or in the form."
        className="json"
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        spellCheck={false}
        autoComplete="off"
        value={text}
        fault={fault ?? undefined}
        onChange={({ target }) => type(target.value)}
      />
      {fault !== null && (
        <p className="small">
          The form is disabled until the JSON is valid.{' '}
          <button type="button" className="link" onClick={takeBack}>
            Reset JSON
          </button>
        </p>
      )}
    </>
  );
}

/** Includes errors without a field. */
function Refused({ faults }: { faults: Faults }) {
  const all = Object.entries(faults);
  if (all.length === 0) return null;
  return (
    <section className="notice command-faults" role="alert" aria-label="Errors">
      <ul>
        {all.map(([path, fault]) => (
          <li key={path}>
            {path !== '' && <code>{path}</code>} {fault}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fields({ draft, faults, isRegistered, isOfServer }: Omit<ViewsProps, 'json' | 'view'>) {
  const { value, set } = draft;
  const isChat = value.type === CHAT_INPUT;
  return (
    <>
      <Select
        label="Type"
        disabled={isRegistered}
        hint={isRegistered ? "The type of a registered command can't be changed." : undefined}
        value={value.type}
        fault={faults.type}
        onChange={({ target }) => set('type', Number(target.value))}
      >
        <option value={1}>Slash command</option>
        <option value={2}>User command</option>
        <option value={3}>Message command</option>
      </Select>
      <TextField
        label="Name"
        hint={isChat ? '1–32 lowercase letters, digits, hyphens and underscores.' : '1–32 characters.'}
        maxLength={32}
        autoComplete="off"
        value={value.name}
        fault={faults.name}
        onChange={({ target }) => set('name', target.value)}
      />
      {(isChat || value.description !== '') && (
        <TextField
          label="Description"
          maxLength={100}
          value={value.description}
          fault={faults.description}
          onChange={({ target }) => set('description', target.value)}
        />
      )}
      {(isChat || value.options.length > 0) && (
        <OptionList
          options={value.options}
          parent={null}
          path="options"
          faults={faults}
          onChange={(options) => set('options', options)}
        />
      )}
      <Further draft={draft} faults={faults} isOfServer={isOfServer} />
    </>
  );
}

const CONTEXTS = [
  { value: 0, text: 'Servers' },
  { value: 1, text: 'Direct messages with the bot' },
  { value: 2, text: 'Other direct messages' },
];

const INSTALLED_TO = [
  { value: 0, text: 'Server install' },
  { value: 1, text: 'User install' },
];

function Further({ draft: { value, set }, faults, isOfServer }: Pick<ViewsProps, 'draft' | 'faults' | 'isOfServer'>) {
  return (
    <>
      <Switch
        label="Age-restricted"
        checked={value.nsfw}
        fault={faults.nsfw}
        onChange={({ target }) => set('nsfw', target.checked)}
      />
      {!isOfServer && (
        <>
          <Checks
            legend="Interaction contexts"
            all={CONTEXTS}
            value={value.contexts}
            fault={faults.contexts}
            onChange={(contexts) => set('contexts', contexts.length === CONTEXTS.length ? null : contexts)}
          />
          <Checks
            legend="Installation types"
            all={INSTALLED_TO}
            value={value.integration_types}
            fault={faults.integration_types}
            onChange={(types) => set('integration_types', types)}
          />
        </>
      )}
      <Folded title="Default permissions and translations">
        <TextField
          label="Default permissions"
          hint="Permission bits as a decimal number. Saved but not enforced: each server decides who can run the command."
          inputMode="numeric"
          value={value.default_member_permissions ?? ''}
          fault={faults.default_member_permissions}
          onChange={({ target }) => set('default_member_permissions', target.value === '' ? null : target.value)}
        />
        <TranslationRows
          legend="Name"
          path="name_localizations"
          value={value.name_localizations}
          faults={faults}
          onChange={(names) => set('name_localizations', names)}
        />
        <TranslationRows
          legend="Description"
          path="description_localizations"
          value={value.description_localizations}
          faults={faults}
          onChange={(descriptions) => set('description_localizations', descriptions)}
        />
      </Folded>
    </>
  );
}

function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
