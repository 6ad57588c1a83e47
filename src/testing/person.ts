import type { APIMessage } from 'discord-api-types/v10';
import type {
  AnswerDescription,
  AuthorizationDescription,
  FileDescription,
  SessionDescription,
} from '../sandbox/protocol.js';
import { ObservedChannel } from './channels.js';
import { segment } from './control.js';
import { type Answer, answerFrom, Message } from './messages.js';
import { DEFAULT_WITHIN_MS, type Within } from './waiting.js';
import type { Method, WorldClient } from './world-client.js';

/** A file that a person uploads. */
export interface Upload {
  name: string;
  content: string | Uint8Array;
  contentType?: string | undefined;
}

export interface NewMessage {
  content?: string;
  /** A message, or its id. */
  replyTo?: string | { id: string } | undefined;
  files?: readonly Upload[] | undefined;
}

type Thing = string | number | boolean | { id: string };

export interface CommandOptions extends Within {
  /** Needed if several applications have the command. */
  application?: string | undefined;
  /** For a user command a person or an application, for a message command a message or its id. */
  target?: string | { id: string } | undefined;
  /** The value of an attachment option is an index in this list. */
  files?: readonly Upload[] | undefined;
}

/**
 * A person of the world. They can do what the platform allows them; a refusal is an error that names the reason. Methods
 * without a channel act in the first channel of the first server.
 */
export class Person {
  /** @internal */
  constructor(
    private readonly world: WorldClient,
    readonly id: string,
    readonly name: string,
  ) {}

  /** @param channel `general`, `Server/general`, or an id */
  in(channel: string): PersonInChannel {
    return new PersonInChannel(this.world, channel, this.id);
  }

  /** In the direct channel with a bot or a person. */
  async inDirectMessagesWith(name: string): Promise<PersonInChannel> {
    const { id } = await this.#request<{ id: string }>('POST', '/direct-channels', { with: name });
    return this.in(id);
  }

  send(message: string | NewMessage): Promise<Message> {
    return this.#here.send(message);
  }

  slash(command: string, options: Record<string, Thing> = {}, more: CommandOptions = {}): Promise<Answer> {
    return this.#here.slash(command, options, more);
  }

  autocomplete(
    command: string,
    focused: string,
    options: Record<string, Thing> = {},
    more: CommandOptions = {},
  ): Promise<Answer> {
    return this.#here.autocomplete(command, focused, options, more);
  }

  async createInvite(channel: string): Promise<string> {
    const { code } = await this.#request<{ code: string }>('POST', '/invites', { channel });
    return code;
  }

  /** @param code of an invite */
  async join(code: string): Promise<void> {
    await this.#request('POST', '/joins', { code });
  }

  /** @param server default: the first server */
  async leave(server?: string): Promise<void> {
    await this.#request('POST', '/leaves', { guild: server });
  }

  async joinVoice(channel: string): Promise<void> {
    await this.#request('PUT', '/voice', { channel });
  }

  async leaveVoice(): Promise<void> {
    await this.#request('PUT', '/voice', { channel: null });
  }

  /**
   * Opens an authorization or install link, and accepts on the consent screen.
   * @throws SandboxError NO_CONSENT with the text of the screen
   */
  authorize(url: string, decision: 'authorize' | 'cancel' = 'authorize'): Promise<AuthorizationDescription> {
    return this.#request('POST', '/authorizations', { url, decision });
  }

  /** Signs the person in, for requests to `/graphql`, the REST API or the portal. */
  signIn(): Promise<SessionDescription> {
    return this.#request('POST', '/sessions');
  }

  get #here(): PersonInChannel {
    const channel = this.world.description.guilds[0]?.channels.find(({ type }) => type === 0);
    if (!channel) throw new Error('The first server has no text channel. Name a channel with in().');
    return this.in(channel.id);
  }

  #request<Result>(method: Method, path: string, body?: object): Promise<Result> {
    return this.world.request(method, `/people/${this.id}${path}`, body);
  }
}

/** A person in a channel. */
export class PersonInChannel extends ObservedChannel {
  async send(message: string | NewMessage): Promise<Message> {
    const { content, replyTo, files = [] } = typeof message === 'string' ? { content: message } : message;
    const body = { channel: this.name, content, replyTo: idOf(replyTo), files: files.map(describeFile) };
    const sent = await this.#request<APIMessage>('POST', '/messages', body);
    this.world.noteSeen(sent, this.name);
    return new Message(this.world, sent, this.personId);
  }

  async edit(message: string | { id: string }, content: string): Promise<Message> {
    const body = { channel: this.name, message: idOf(message), content };
    return new Message(this.world, await this.#request('PATCH', '/messages', body), this.personId);
  }

  async delete(message: string | { id: string }): Promise<void> {
    await this.#request('DELETE', '/messages', { channel: this.name, message: idOf(message) });
  }

  async react(message: string | { id: string }, emoji: string): Promise<void> {
    await this.#request('PUT', '/reactions', { channel: this.name, message: idOf(message), emoji });
  }

  async unreact(message: string | { id: string }, emoji: string): Promise<void> {
    await this.#request('DELETE', '/reactions', { channel: this.name, message: idOf(message), emoji });
  }

  async startTyping(): Promise<void> {
    await this.#request('POST', '/typing', { channel: this.name });
  }

  /**
   * Runs a command and waits for the bot's answer; for a deferred one, until the bot completed it.
   * @param command the name, with those of subcommands: `settings color set`
   * @param options values by option: users, channels and roles by name, id or object
   * @throws SandboxError with the platform's reason, INTERACTION_FAILED, NO_ANSWER
   */
  async slash(command: string, options: Record<string, Thing> = {}, more: CommandOptions = {}): Promise<Answer> {
    const { withinMs = DEFAULT_WITHIN_MS, application, target, files = [] } = more;
    const body = {
      ...this.#command(command, options),
      application,
      target: idOf(target),
      files: files.map(describeFile),
    };
    return this.#answer('/commands', body, withinMs);
  }

  /** Runs a user command on a person, or a message command on a message. */
  contextMenu(command: string, target: string | { id: string }, more: CommandOptions = {}): Promise<Answer> {
    return this.slash(command, {}, { ...more, target });
  }

  /**
   * Asks for the choices of an option.
   * @param focused the option that the person is typing; its text so far is in `options`
   */
  async autocomplete(
    command: string,
    focused: string,
    options: Record<string, Thing> = {},
    more: CommandOptions = {},
  ): Promise<Answer> {
    const { withinMs = DEFAULT_WITHIN_MS, application } = more;
    const typed = { [focused]: '', ...options };
    return this.#answer('/autocompletions', { ...this.#command(command, typed), application, focused }, withinMs);
  }

  #command(command: string, options: Record<string, Thing>) {
    const values = Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? value.id : value]);
    return { channel: this.name, command, options: Object.fromEntries(values) };
  }

  async #answer(path: string, body: object, withinMs: number): Promise<Answer> {
    const description = await this.#request<AnswerDescription>('POST', path, body, { withinMs });
    return answerFrom(this.world, this.personId, description);
  }

  #request<Result>(method: Method, path: string, body: object, query?: { withinMs: number }): Promise<Result> {
    return this.world.request(method, `/people/${segment(this.personId)}${path}`, body, query);
  }
}

function idOf(thing: string | { id: string } | undefined): string | undefined {
  return typeof thing === 'object' ? thing.id : thing;
}

function describeFile({ name, content, contentType }: Upload): FileDescription {
  return { name, content: Buffer.from(content).toString('base64'), contentType };
}
