import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  /** What may be typed, or what it is for; stands under it. */
  hint?: ReactNode;
  /** What is wrong with what was typed. */
  fault?: string | undefined;
}

interface TextProps extends FieldProps {
  /** How many characters it holds, as the server counts them. Nothing that is typed or pasted is cut: it is said to be too long. */
  maxLength?: number | undefined;
}

/** One line of text. */
export function TextField({ maxLength, ...props }: TextProps & ComponentProps<'input'>) {
  const tooLong = excessOf(props.value, maxLength);
  const { label, hint, fault, ...input } = { ...props, fault: tooLong ?? props.fault };
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <input type="text" {...input} {...ids.attributes} data-too-long={tooLong && true} />
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** Several lines of text, which are counted where it holds so many. */
export function TextArea({ maxLength, ...props }: TextProps & ComponentProps<'textarea'>) {
  const tooLong = excessOf(props.value, maxLength);
  const count = maxLength && `${characters(props.value)} of at most ${maxLength} characters.`;
  const { label, hint, fault, ...input } = {
    ...props,
    hint: count ? [props.hint, count].filter(Boolean).join(' ') : props.hint,
    fault: tooLong ?? props.fault,
  };
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <textarea rows={4} {...input} {...ids.attributes} data-too-long={tooLong && true} />
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** One of several. */
export function Select({ label, hint, fault, children, ...select }: FieldProps & ComponentProps<'select'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <select {...select} {...ids.attributes}>
        {children}
      </select>
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** On or off. */
export function Switch({ label, hint, fault, ...input }: FieldProps & ComponentProps<'input'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="switch">
      <input type="checkbox" role="switch" {...input} {...ids.attributes} />
      <div>
        <label htmlFor={ids.input}>{label}</label>
        <FieldNotes {...{ ids, hint, fault }} />
      </div>
    </div>
  );
}

/** What finds a field whose text is longer than it holds. */
export const TOO_LONG = '[data-too-long]';

/** How many characters a text has as the server counts them: without the blanks around it, and an emoji as one. */
export function characters(text: unknown): number {
  return typeof text === 'string' ? [...text.trim()].length : 0;
}

/** By how much a text is longer than what holds it; undefined for one that fits. */
export function excessOf(text: unknown, maxLength = Number.POSITIVE_INFINITY): string | undefined {
  const excess = characters(text) - maxLength;
  if (excess <= 0) return undefined;
  return excess === 1 ? '1 character too long.' : `${excess} characters too long.`;
}

function useFieldIds(hint: ReactNode, fault: string | undefined) {
  const input = useId();
  const describedBy = [fault && `${input}-fault`, hint && `${input}-hint`].filter(Boolean).join(' ');
  const attributes = {
    id: input,
    ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
    ...(fault ? { 'aria-invalid': true } : {}),
  };
  return { input, attributes };
}

function FieldNotes({ ids, hint, fault }: Omit<FieldProps, 'label'> & { ids: { input: string } }) {
  return (
    <>
      {fault && (
        <p className="fault" id={`${ids.input}-fault`}>
          {fault}
        </p>
      )}
      {hint && (
        <p className="soft small" id={`${ids.input}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}
