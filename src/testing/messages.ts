import { type APIEmbed, type APIMessage, MessageFlags } from 'discord-api-types/v10';
import type { AnswerDescription } from '../sandbox/protocol.js';
import { segment } from './control.js';
import { DEFAULT_WITHIN_MS, type Within } from './waiting.js';
import type { WorldClient } from './world-client.js';

/** A message, as a person sees it. */
export class Message {
  /** In Discord's format. */
  readonly raw: APIMessage;

  /** @internal */
  constructor(
    protected readonly world: WorldClient,
    raw: APIMessage,
    protected readonly person: string,
  ) {
    this.raw = raw;
  }

  get id(): string {
    return this.raw.id;
  }

  get content(): string {
    return this.raw.content;
  }

  /** The username of its author. */
  get author(): string {
    return this.raw.author.username;
  }

  get embeds(): readonly APIEmbed[] {
    return this.raw.embeds;
  }

  get isEphemeral(): boolean {
    return ((this.raw.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  }

  /** @param name the label or the custom id */
  button(name: string): Component {
    return new Component(this.world, this.raw, name, this.person);
  }

  /** @param name the placeholder or the custom id */
  select(name: string): Component {
    return new Component(this.world, this.raw, name, this.person);
  }

  /** Waits until the message was edited. @throws SandboxError NO_EDIT, UNKNOWN_MESSAGE after its deletion */
  async nextEdit({ withinMs = DEFAULT_WITHIN_MS }: Within = {}): Promise<Message> {
    const { channel_id: channel, id: message, edited_timestamp: since } = this.raw;
    const query = { channel, message, since: since ?? undefined, withinMs };
    const path = `/people/${segment(this.person)}/next-edit`;
    return new Message(this.world, await this.world.request('GET', path, undefined, query), this.person);
  }
}

/** A button or a select of a message. */
export class Component {
  /** @internal */
  constructor(
    private readonly world: WorldClient,
    private readonly message: APIMessage,
    private readonly name: string,
    private readonly person: string,
  ) {}

  /** Clicks a button, as the person who sees the message. */
  click(options: Within = {}): Promise<Answer> {
    return this.#use(this.person, undefined, options);
  }

  /** Clicks a button as another person. */
  clickedBy(person: string, options: Within = {}): Promise<Answer> {
    return this.#use(person, undefined, options);
  }

  /** Chooses in a select: values, labels, or names of people, roles and channels. */
  choose(values: string | readonly string[], options: Within = {}): Promise<Answer> {
    return this.#use(this.person, values, options);
  }

  chosenBy(person: string, values: string | readonly string[], options: Within = {}): Promise<Answer> {
    return this.#use(person, values, options);
  }

  async #use(person: string, values: string | readonly string[] | undefined, { withinMs = DEFAULT_WITHIN_MS }: Within) {
    const body = {
      channel: this.message.channel_id,
      message: this.message.id,
      component: this.name,
      ...(values === undefined ? {} : { values: [values].flat() }),
    };
    const path = `/people/${segment(person)}/components`;
    return answerFrom(this.world, person, await this.world.request('POST', path, body, { withinMs }));
  }
}

/** A bot's answer to a command, a component or a modal. */
export class Answer {
  /** @internal */
  constructor(
    private readonly world: WorldClient,
    private readonly person: string,
    private readonly description: AnswerDescription,
  ) {}

  /** @throws if the bot answered without a message */
  get message(): Message {
    const { message, modal } = this.description;
    if (message) return new Message(this.world, message, this.person);
    throw new Error(
      modal ? `The bot answered with the modal "${modal.title}".` : 'The bot answered without a message.',
    );
  }

  get content(): string {
    return this.message.content;
  }

  get embeds(): readonly APIEmbed[] {
    return this.message.embeds;
  }

  get isEphemeral(): boolean {
    return this.message.isEphemeral;
  }

  button(name: string): Component {
    return this.message.button(name);
  }

  select(name: string): Component {
    return this.message.select(name);
  }

  nextEdit(options: Within = {}): Promise<Message> {
    return this.message.nextEdit(options);
  }

  /** @throws if the bot did not answer with a modal */
  get modal(): NonNullable<AnswerDescription['modal']> {
    const { modal, message } = this.description;
    if (modal) return modal;
    throw new Error(
      `The bot did not answer with a modal, but with ${message ? `the message: ${message.content}` : 'nothing'}.`,
    );
  }

  /** The choices of an autocompletion. */
  get choices(): NonNullable<AnswerDescription['choices']> {
    return this.description.choices ?? [];
  }

  /**
   * Fills in the modal with which the bot answered.
   * @param values by label or custom id: text, or a list for a select
   */
  async submit(
    values: Record<string, string | boolean | string[]>,
    { withinMs = DEFAULT_WITHIN_MS }: Within = {},
  ): Promise<Answer> {
    const body = { interaction: this.description.interaction.id, values };
    const path = `/people/${segment(this.person)}/modals`;
    return answerFrom(this.world, this.person, await this.world.request('POST', path, body, { withinMs }));
  }
}

/** @internal */
export function answerFrom(world: WorldClient, person: string, description: AnswerDescription): Answer {
  const { message } = description;
  if (message) world.noteSeen(message);
  return new Answer(world, person, description);
}
