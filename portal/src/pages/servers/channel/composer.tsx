import { type ComponentType, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { SendMessageDocument, StartTypingDocument } from '../../../gql/servers/channel/channel.js';
import type { InteractionShownFragment, MessageShownFragment } from '../../../gql/types.js';
import { useStore } from '../../../store.js';
import { useAction } from '../../../ui/action.js';
import { characters, TextArea } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { MissingPart } from '../../../ui/lazy-part.js';
import { lacks } from '../permissions.js';
import type { CommandPickerProps } from './command-picker.js';
import { isSendKey } from './message.js';
import { sizeOf } from './message-extras.js';
import { useChannel } from './open-channel.js';
import { giveBack, NOTHING, unsentIn } from './unsent.js';

type Picker = ComponentType<CommandPickerProps>;

const loadPicker = (): Promise<Picker> =>
  import('./command-picker.js').then(
    (module) => module.default,
    () => NoPicker,
  );

const MOST_CHARACTERS = 4_000;
const MOST_FILES = 10;
const MOST_BYTES = 10 * 1_024 * 1_024;

/** Characters from which the count is shown. */
const COUNTED_FROM = 3_500;

interface ComposerProps {
  onSent: (message: MessageShownFragment) => void;
  follow: (interaction: InteractionShownFragment) => void;
}

/** A command started in the message field. */
interface BegunCommand extends Pick<CommandPickerProps, 'begun' | 'isEntered' | 'isFirst'> {
  Picker: Picker;
}

/** A slash turns the message field into a command picker. */
export function Composer({ onSent, follow }: ComposerProps) {
  const unsent = unsentIn(useChannel().id);
  const [command, setCommand] = useState<BegunCommand | null>(null);
  const [isFirst, setFirst] = useState(false);
  const pick = (begun: BegunCommand) =>
    // One commit for the fields and the focus, so that no key press is lost.
    flushSync(() => {
      if (begun.Picker !== NoPicker) unsent.set({ ...unsent.get(), text: '' });
      setCommand(begun);
    });
  const leave = () => {
    setFirst(true);
    setCommand(null);
  };
  if (!command) return <MessageForm isFirst={isFirst} onSent={onSent} onCommand={pick} />;
  const { Picker, ...begun } = command;
  return <Picker {...begun} follow={follow} onLeave={leave} />;
}

function NoPicker({ onLeave }: CommandPickerProps) {
  return (
    <MissingPart what="The commands">
      <button type="button" className="plain small" onClick={onLeave}>
        Back to message
      </button>
    </MissingPart>
  );
}

interface MessageFormProps {
  isFirst: boolean;
  onSent: (message: MessageShownFragment) => void;
  /** Replaces the field with the picker. */
  onCommand: (begun: BegunCommand) => void;
}

function MessageForm({ isFirst, onSent, onCommand }: MessageFormProps) {
  const { id: channelId, name, viewerPermissions } = useChannel();
  const area = useRef<HTMLTextAreaElement>(null);
  const command = useBegunCommand(area, onCommand);
  const hasJustCome = useRef(false);
  const unsent = unsentIn(channelId);
  const { text, files, isGoneOnWith } = useStore(unsent);
  const { run, isBusy, problem } = useAction(SendMessageDocument, { isQuiet: true });
  const tellTyping = useTellTyping(channelId);
  const lack = lacks(viewerPermissions, 'SendMessages');
  const length = characters(text);
  const fault = faultOf(length, files);
  useLayoutEffect(() => {
    if (isFirst) area.current?.focus();
  }, [isFirst]);
  useLayoutEffect(() => {
    if (!isGoneOnWith || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(area.current.value.length, area.current.value.length);
    hasJustCome.current = true;
    unsent.set({ ...unsent.get(), isGoneOnWith: false });
  }, [isGoneOnWith, unsent]);
  const setFiles = (chosen: readonly File[]) => unsent.set({ ...unsent.get(), files: chosen });
  const send = async () => {
    if (fault || lack || isBusy || command.enter(text) || (text.trim() === '' && files.length === 0)) return;
    unsent.set(NOTHING);
    const sent = await run({ input: { channelId, content: text, ...(files.length > 0 ? { files } : {}) } });
    if (sent) onSent(sent.sendMessage.message);
    else giveBack(unsent, { text, files });
    // The disabled send button lost the focus.
    if (document.activeElement === document.body) area.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    // After an edit moved here, the first Enter may have been meant for the edit.
    const isMeant = !hasJustCome.current;
    hasJustCome.current = false;
    if (!isSendKey(event)) return;
    event.preventDefault();
    if (isMeant) area.current?.form?.requestSubmit();
  };
  return (
    <Form
      problem={problem}
      isBusy={isBusy}
      saysOffline={isBusy || text !== '' || files.length > 0}
      onSubmit={send}
      buttons={(isOff) => (
        <div className="send">
          {lack !== undefined && text !== '' && (
            <button type="button" className="plain small" onClick={() => unsent.set(NOTHING)}>
              Discard message
            </button>
          )}
          <FileButton files={files} onFiles={setFiles} lack={lack ?? lacks(viewerPermissions, 'AttachFiles')} />
          {length >= COUNTED_FROM && (
            <span className="soft small" role="status">
              {length} of {MOST_CHARACTERS} characters
            </span>
          )}
          <button type="submit" disabled={isOff || lack !== undefined}>
            Send
          </button>
        </div>
      )}
    >
      <TextArea
        label={`Message #${name}`}
        hint={lack ?? 'Press Enter to send or Shift+Enter for a new line. Type “/” to run a command.'}
        rows={2}
        disabled={lack !== undefined && text === ''}
        readOnly={lack !== undefined}
        value={text}
        fault={fault ?? Object.values(problem?.fields ?? {})[0]}
        onKeyDown={onKey}
        ref={area}
        onChange={({ target }) => {
          unsent.set({ ...unsent.get(), text: target.value });
          if (target.value === '/') void command.begin();
          else tellTyping();
        }}
      />
      <FileList files={files} onFiles={setFiles} />
    </Form>
  );
}

/** Input stays in the field while the picker loads. The picker then takes over the text and the focus. */
function useBegunCommand(area: RefObject<HTMLTextAreaElement | null>, onCommand: MessageFormProps['onCommand']) {
  const loading = useRef(0);
  const entered = useRef<string>(null);
  const begin = async () => {
    entered.current = null;
    loading.current += 1;
    const Picker = await loadPicker();
    loading.current -= 1;
    const text = area.current?.value ?? '';
    if (!isCommand(text)) return;
    const isFirst = document.activeElement === area.current;
    onCommand({ Picker, begun: text, isEntered: entered.current === text, isFirst });
  };
  /** @returns true if Enter is for the picker, so that no message is sent */
  const enter = (text: string) => {
    if (loading.current === 0 || !isCommand(text)) return false;
    entered.current = text;
    return true;
  };
  return { begin, enter };
}

const isCommand = (text: string) => text.startsWith('/') && !text.includes('\n');

function faultOf(length: number, files: readonly File[]): string | undefined {
  if (length > MOST_CHARACTERS) return `Your message has ${length} characters. The limit is ${MOST_CHARACTERS}.`;
  if (files.length > MOST_FILES) return `You added ${files.length} files. The limit is ${MOST_FILES} per message.`;
  const large = files.find(({ size }) => size > MOST_BYTES);
  return large && `“${large.name}” is ${sizeOf(large.size)}. The limit is 10 MiB per file.`;
}

/** Minimum interval between typing notifications, in milliseconds. */
const TELL_MS = 8_000;

function useTellTyping(channelId: string) {
  const { run } = useAction(StartTypingDocument, { isQuiet: true });
  const told = useRef(0);
  return () => {
    if (Date.now() - told.current < TELL_MS) return;
    told.current = Date.now();
    void run({ input: { channelId } });
  };
}

interface FilesProps {
  files: readonly File[];
  onFiles: (files: readonly File[]) => void;
}

function FileButton({ files, onFiles, lack }: FilesProps & { lack: string | undefined }) {
  return (
    <label className="file-button" title={lack}>
      <span>Add files</span>
      <input
        type="file"
        multiple
        disabled={lack !== undefined}
        onChange={({ target }) => {
          onFiles([...files, ...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </label>
  );
}

function FileList({ files, onFiles }: FilesProps) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label="Files to send">
      {files.map((file, index) => (
        <li key={index}>
          {file.name} <span className="soft small">{sizeOf(file.size)}</span>
          <button
            type="button"
            className="link small"
            aria-label={`Remove ${file.name}`}
            onClick={() => onFiles(files.filter((one) => one !== file))}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}
