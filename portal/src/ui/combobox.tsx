import './combobox.css';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';

export interface ComboboxItem {
  key: string;
  text: string;
  note?: string | undefined;
}

interface ComboboxProps<Item extends ComboboxItem> {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  text: string;
  /** Best first. */
  items: readonly Item[];
  placeholder?: string;
  none?: string;
  isOff?: boolean | undefined;
  /** Takes the focus on mount. */
  isFirst?: boolean;
  /** Whether `items` are still loading for this `text`. Enter waits for them. */
  isAwaited?: boolean;
  /** Whether Enter was pressed before this field had the focus. */
  isEntered?: boolean;
  onFocus?: () => void;
  onText: (text: string) => void;
  onPick: (item: Item) => void;
  /** Called on Escape while the list is closed. */
  onLeave?: (() => void) | undefined;
}

export function Combobox<Item extends ComboboxItem>(props: ComboboxProps<Item>) {
  const { label, hint, fault, text, items, placeholder, none = 'No matches.', onText, onPick } = props;
  const id = useId();
  const list = useList(props);
  const isListed = list.isOpen && items.length > 0;
  const input = useRef<HTMLInputElement>(null);
  const { isFirst, isOff } = props;
  // A passive effect would run after the next key press, which would be lost.
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus();
  }, [isFirst]);
  return (
    <div className="field combobox">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        ref={input}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-activedescendant={list.isOpen && items[list.active] ? `${id}-${list.active}` : undefined}
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-notes`}
        placeholder={placeholder}
        disabled={isOff}
        value={text}
        onChange={({ target }) => {
          list.open();
          onText(target.value);
        }}
        onFocus={() => {
          list.open();
          props.onFocus?.();
        }}
        onBlur={list.leaveField}
        onKeyDown={list.onKey}
      />
      {/* Keeps the focus in the field during clicks and scrolling. */}
      <div
        className="combobox-options"
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        hidden={!isListed}
        onMouseDown={(event) => event.preventDefault()}
      >
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === list.active}
            ref={index === list.active && list.isOpen ? (option) => option?.scrollIntoView({ block: 'nearest' }) : null}
            onClick={() => {
              list.close();
              onPick(item);
            }}
          >
            <span>{item.text}</span>
            {item.note && <span className="soft small">{item.note}</span>}
          </div>
        ))}
      </div>
      <p className="combobox-options soft small" role="status" hidden={!list.isOpen || isListed}>
        {none}
      </p>
      <div id={`${id}-notes`}>
        {fault && <p className="fault">{fault}</p>}
        {hint && <p className="soft small">{hint}</p>}
      </div>
    </div>
  );
}

function useList<Item extends ComboboxItem>(props: ComboboxProps<Item>) {
  const { items, onPick, onLeave, isAwaited } = props;
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const active = Math.min(at, Math.max(0, items.length - 1));
  const close = () => setOpen(false);
  const late = useLatePick(props, close);
  const leaveField = () => {
    late.cancel();
    close();
  };
  const move = (steps: number) => {
    setOpen(true);
    if (items.length > 0) setAt((active + steps + items.length) % items.length);
  };
  const pick = () => {
    const item = items[active];
    if (isOpen && isAwaited) {
      late.enter();
      return true;
    }
    if (!isOpen || !item) return false;
    close();
    onPick(item);
    return true;
  };
  const leave = () => (isOpen && !onLeave ? close() : onLeave?.());
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && (isOpen || onLeave)) leave();
    else if (event.key !== 'Enter' || !pick()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const open = () => {
    setOpen(true);
    setAt(0);
  };
  return { isOpen, active, open, close, leaveField, onKey };
}

/**
 * Handles Enter before the items have loaded. It then picks the only exact match, or nothing.
 * Typing or leaving the field cancels it.
 */
function useLatePick<Item extends ComboboxItem>(props: ComboboxProps<Item>, close: () => void) {
  const { text, items, isAwaited, isEntered, onPick } = props;
  const entered = useRef<string>(null);
  const enter = () => {
    entered.current = text;
  };
  useEffect(() => {
    if (isEntered) enter();
  }, [isEntered]);
  useEffect(() => {
    if (entered.current !== text) entered.current = null;
    if (isAwaited || entered.current === null) return;
    entered.current = null;
    const [item, other] = items.filter((one) => comparable(one.text) === comparable(text));
    if (!item || other) return;
    close();
    onPick(item);
  });
  const cancel = () => {
    entered.current = null;
  };
  return { enter, cancel };
}

const comparable = (text: string) => text.trim().toLowerCase();
