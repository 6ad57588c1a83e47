import { ResetBotTokenDocument } from '../../gql/applications/secrets.js';
import type { PrivilegedIntent } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { useDraft } from '../../ui/draft.js';
import { Switch } from '../../ui/field.js';
import { Name, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { DraftForm } from '../../ui/save.js';
import { useApplication, useUpdateApplication } from './application.js';
import { BotSessions, type Session, useBotSessions } from './bot-sessions.js';
import { useReason } from './reasons.js';
import { SecretRow } from './secret-row.js';
import { Snippets } from './snippets.js';

export function Bot() {
  const { name } = useApplication();
  const { sessions, ...answer } = useBotSessions();
  useTitle('Bot', name);
  return (
    <>
      <section className="card">
        <h2>Bot user</h2>
        <BotUser />
      </section>
      <section className="card">
        <h2>Token</h2>
        <Token sessions={sessions?.length} />
      </section>
      <section className="card">
        <h2>Gateway sessions</h2>
        <BotSessions sessions={sessions} {...answer} />
      </section>
      <section className="card">
        <h2>Privileged intents</h2>
        <Intents sessions={sessions ?? []} />
      </section>
      <section className="card">
        <h2>Connect your bot</h2>
        <Snippets />
      </section>
    </>
  );
}

function BotUser() {
  const { bot } = useApplication();
  return (
    <div className="noun">
      <Picture url={bot.avatarUrl} name={bot.username} isBig isRound />
      <div>
        <Name>{bot.username}</Name>
        <p className="soft small">Uses the application's name and icon. Change them under General.</p>
      </div>
    </div>
  );
}

function Token({ sessions }: { sessions: number | undefined }) {
  const { id, ...application } = useApplication();
  const { run, isBusy, problem } = useAction(ResetBotTokenDocument, { isQuiet: true });
  const reset = async () => (await run({ input: { applicationId: id } }))?.resetBotToken.botToken;
  return (
    <SecretRow
      label="Bot token"
      known={{
        hint: application.botTokenHint,
        createdAt: application.botTokenCreatedAt,
        createdBy: application.botTokenCreatedBy,
        lastUsedAt: application.botTokenLastUsedAt,
      }}
      resetText="Reset bot token"
      reason={useReason('RESET_BOT_TOKEN')}
      {...{ reset, isBusy, problem }}
    >
      <p>
        The current token stops working immediately. {endingText(sessions)}. Requests fail with 401 until your bot uses
        the new token.
      </p>
      <p>The client secret, OAuth2 tokens, webhooks and installations stay as they are.</p>
    </SecretRow>
  );
}

function endingText(sessions: number | undefined): string {
  if (sessions === undefined) return "All of the bot's gateway sessions close with code 4004";
  if (sessions === 0) return 'The bot has no open gateway sessions';
  if (sessions === 1) return "The bot's gateway session closes with code 4004";
  return `The bot's ${sessions} gateway sessions close with code 4004`;
}

/** `bit` is the intent's bit in a session. */
const INTENTS: Record<PrivilegedIntent, { label: string; bit: number; opens: string }> = {
  PRESENCES: {
    bit: 1 << 8,
    label: 'Presences',
    opens: "Members' status and activities: PRESENCE_UPDATE events, and presences in GUILD_CREATE and member chunks.",
  },
  GUILD_MEMBERS: {
    bit: 1 << 1,
    label: 'Server members',
    opens: 'Member joins, updates and leaves (GUILD_MEMBER_ADD, _UPDATE and _REMOVE), and the full member list.',
  },
  MESSAGE_CONTENT: {
    bit: 1 << 15,
    label: 'Message content',
    opens:
      "Content, embeds, attachments, components and polls of all messages, including those that don't mention the bot.",
  },
};

const ALL = Object.keys(INTENTS) as PrivilegedIntent[];

/** One field per intent, so that concurrent changes of different intents do not conflict. */
type Intents = Record<PrivilegedIntent, boolean>;

const NAMES = Object.fromEntries(ALL.map((intent) => [intent, INTENTS[intent].label])) as Record<
  PrivilegedIntent,
  string
>;

function Intents({ sessions }: { sessions: readonly Session[] }) {
  const { privilegedIntents } = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft(Object.fromEntries(ALL.map((one) => [one, privilegedIntents.includes(one)])) as Intents);
  const save = () => update({ privilegedIntents: ALL.filter((intent) => draft.value[intent]) });
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={useReason('UPDATE_SETTINGS')}>
      {() => (
        <>
          <p className="soft">Connecting with an intent that's off closes the connection (4014).</p>
          {ALL.map((intent) => (
            <Switch
              key={intent}
              label={INTENTS[intent].label}
              hint={INTENTS[intent].opens}
              checked={draft.value[intent]}
              onChange={({ target }) => draft.set(intent, target.checked)}
            />
          ))}
          <EndedBy intents={ALL.filter((intent) => draft.changes[intent] === false)} sessions={sessions} />
        </>
      )}
    </DraftForm>
  );
}

/** Warns about sessions that saving closes. */
function EndedBy({ intents, sessions }: { intents: PrivilegedIntent[]; sessions: readonly Session[] }) {
  const used = intents.filter((intent) => sessions.some((session) => (session.intents & INTENTS[intent].bit) !== 0));
  if (used.length === 0) return null;
  const ended = sessions.filter((session) => used.some((intent) => (session.intents & INTENTS[intent].bit) !== 0));
  return (
    <div className="notice warn" role="status">
      <p>
        {ended.length === 1 ? 'Saving closes a gateway session' : `Saving closes ${ended.length} gateway sessions`} that
        requested {used.map((intent) => INTENTS[intent].label).join(' and ')} (4014). To reconnect, your bot must
        request fewer intents.
      </p>
    </div>
  );
}
