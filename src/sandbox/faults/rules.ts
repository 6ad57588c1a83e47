import type {
  BoxFault,
  EndpointFault,
  FaultDescription,
  FaultOccasion,
  FaultSeed,
  GatewayFault,
  GuildFault,
  IdentifyFault,
  RestFault,
} from '../protocol.js';
import type { Named } from '../worlds/build.js';
import { randomSequence } from './random.js';

interface Rule {
  id: string;
  rule: FaultSeed;
  seen: number;
  applied: number;
  random: () => number;
  /** In real time, in milliseconds since the Unix epoch. */
  endsAt: number;
  isOver: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** The faults of a world. */
export class Faults {
  #rules: Rule[] = [];
  #created = 0;

  /** @param onEnd called after a rule was removed, or its time is over */
  constructor(private readonly onEnd: (rule: FaultSeed) => void) {}

  add(rule: FaultSeed): FaultDescription {
    const { forMs = Number.POSITIVE_INFINITY } = rule;
    this.#created += 1;
    const added: Rule = {
      id: String(this.#created),
      rule,
      seen: 0,
      applied: 0,
      random: randomSequence('seed' in rule && rule.seed !== undefined ? rule.seed : 1),
      endsAt: Date.now() + forMs,
      isOver: false,
      timer: rule.forMs === undefined ? undefined : setTimeout(() => this.#end(added), forMs).unref(),
    };
    this.#rules.push(added);
    return describe(added);
  }

  list(): FaultDescription[] {
    return this.#rules.map(describe);
  }

  /** @returns false if there is no such rule */
  delete(id: string): boolean {
    const found = this.#rules.find((rule) => rule.id === id);
    if (!found) return false;
    this.#rules = this.#rules.filter((rule) => rule !== found);
    this.#end(found);
    return true;
  }

  /** Without `onEnd`. */
  clear(): void {
    for (const { timer } of this.#rules) clearTimeout(timer);
    this.#rules = [];
  }

  #end(one: Rule): void {
    if (one.isOver) return;
    clearTimeout(one.timer);
    one.isOver = true;
    this.onEnd(one.rule);
  }

  onRequest(application: string | null, method: string, path: string): RestFault['effect'] | null {
    return this.#effect(application, (rule): rule is RestFault => 'route' in rule && isRoute(rule.route, method, path));
  }

  onPayload(application: string | null, { op, t }: { op: number; t?: string | null }): GatewayFault['effect'] | null {
    const isSame = (rule: FaultSeed): rule is GatewayFault =>
      isOfGateway(rule) && (rule.event === undefined ? rule.opcode === op : isEvent(rule.event, t));
    return this.#effect(application, isSame);
  }

  onPost(application: string): EndpointFault['effect'] | null {
    return this.#effect(application, (rule): rule is EndpointFault => 'endpoint' in rule);
  }

  /** @param isWrite only a write is carried out before its answer is lost */
  onBoxRequest(application: string | null, isWrite: boolean): BoxFault['effect'] | null {
    const isSame = (rule: FaultSeed): rule is BoxFault =>
      isOfBox(rule) && (rule.effect.type === 'delay' || (rule.effect.type === 'answerLost' && isWrite));
    return this.#effect(application, isSame);
  }

  get isBoxOffline(): boolean {
    return this.#lasting(isOfOfflineBox) !== undefined;
  }

  /** Counts a connection of the box that was cut or refused. */
  noteOfflineBox(): void {
    note(this.#lasting(isOfOfflineBox));
  }

  isUnavailable(guild: Named): boolean {
    return this.#lasting(isOfGuild(guild)) !== undefined;
  }

  /** Counts a bot to which the server became unavailable. */
  noteUnavailable(guild: Named): void {
    note(this.#lasting(isOfGuild(guild)));
  }

  /** Milliseconds until the application may IDENTIFY again, at most a day; null if it may. */
  identifyRefusedFor(application: string): number | null {
    const rule = this.#lasting(isOfIdentify(application));
    return rule ? Math.min(Math.max(0, rule.endsAt - Date.now()), DAY_MS) : null;
  }

  noteRefusedIdentify(application: string): void {
    note(this.#lasting(isOfIdentify(application)));
  }

  #lasting(matches: (rule: FaultSeed) => boolean): Rule | undefined {
    return this.#rules.find(({ rule, isOver }) => !isOver && matches(rule));
  }

  /** Counts the occasion for every rule that matches. The first one that is due applies. */
  #effect<Fault extends RestFault | GatewayFault | EndpointFault | BoxFault>(
    application: string | null,
    matches: (rule: FaultSeed) => rule is Fault,
  ): Fault['effect'] | null {
    let effect: Fault['effect'] | null = null;
    for (const one of this.#rules) {
      const { rule } = one;
      if (one.isOver || !matches(rule) || (rule.application !== undefined && rule.application !== application))
        continue;
      one.seen += 1;
      if (effect !== null || !isDue(rule, one)) continue;
      one.applied += 1;
      effect = rule.effect;
    }
    return effect;
  }
}

const DAY_MS = 86_400_000;

function describe({ id, rule, seen, applied, isOver }: Rule): FaultDescription {
  return { id, rule, seen, applied, isOver };
}

function note(rule: Rule | undefined): void {
  if (!rule) return;
  rule.seen += 1;
  rule.applied += 1;
}

function isOfGateway(rule: FaultSeed): rule is GatewayFault {
  return 'event' in rule || 'opcode' in rule;
}

/** @param t undefined or null for what is not an event */
function isEvent(event: string, t: string | null | undefined): boolean {
  return event === '*' ? typeof t === 'string' : event === t;
}

export function isOfBox(rule: FaultSeed): rule is BoxFault {
  return 'box' in rule;
}

function isOfOfflineBox(rule: FaultSeed): boolean {
  return isOfBox(rule) && rule.effect.type === 'offline';
}

function isOfGuild({ id, name }: Named): (rule: FaultSeed) => rule is GuildFault {
  return (rule): rule is GuildFault => 'guild' in rule && (rule.guild === name || rule.guild === String(id));
}

function isOfIdentify(application: string): (rule: FaultSeed) => rule is IdentifyFault {
  return (rule): rule is IdentifyFault => 'identify' in rule && (rule.application ?? application) === application;
}

function isDue(
  { nth, every, from = 1, to = Number.POSITIVE_INFINITY, probability }: FaultOccasion,
  { seen, random }: Rule,
): boolean {
  if (nth !== undefined && seen !== nth) return false;
  if (every !== undefined && seen % every !== 0) return false;
  if (seen < from || seen > to) return false;
  return probability === undefined || random() < probability;
}

/** @param route such as `POST /channels/:id/messages`; `* /` for every request */
function isRoute(route: string, method: string, path: string): boolean {
  const [wantedMethod, wantedPath = '/'] = route.split(' ');
  if (wantedMethod !== '*' && wantedMethod !== method) return false;
  if (wantedPath === '/') return true;
  const [wanted, given] = [segmentsOf(wantedPath), segmentsOf(path)];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
