import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Error message. */
  fault?: string | undefined;
}

interface TextProps extends FieldProps {
  /** In characters as the server counts them. Longer input is reported, not cut. */
  maxLength?: number | undefined;
}

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

/** Counts the characters if `maxLength` is set. */
export function TextArea({ maxLength, ...props }: TextProps & ComponentProps<'textarea'>) {
  const tooLong = excessOf(props.value, maxLength);
  const count = maxLength && `${characters(props.value)}/${maxLength} characters.`;
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

/** Selects fields whose text is too long. */
export const TOO_LONG = '[data-too-long]';

/** Counts like the server: trimmed, by code point. */
export function characters(text: unknown): number {
  return typeof text === 'string' ? [...text.trim()].length : 0;
}

/** Returns an error message, or undefined. */
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
