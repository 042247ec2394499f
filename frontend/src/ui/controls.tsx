import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { isPlainClick, navigate } from "../app/router";
import { Icon, type IconName } from "./icons";
import "./controls.css";

export interface ButtonProps extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, "icon" | "label"> {
  variant?: "primary" | "default" | "quiet" | "danger";
  size?: "normal" | "small";
  icon?: IconName;
  /** The key that does the same, shown beside the text. */
  keys?: string;
  /** Shows that the act is under way; the button keeps its size. */
  busy?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
  children?: ComponentChildren;
}

export function Button({
  variant = "default",
  size = "normal",
  icon,
  keys,
  busy,
  disabled,
  type = "button",
  children,
  class: extra,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={`button ${variant} ${size} ${extra ?? ""}`}
      disabled={disabled || busy}
      aria-busy={busy}
    >
      {icon && <Icon name={icon} size={size === "small" ? 15 : 17} />}
      {children && <span class="truncate">{children}</span>}
      {keys && <Kbd keys={keys} />}
    </button>
  );
}

/** A button that is only an icon; `label` is its name for everyone who does not see it. */
export function IconButton({
  label,
  icon,
  pressed,
  ...rest
}: { label: string; icon: IconName; pressed?: boolean } & Omit<ButtonProps, "icon" | "children" | "label">) {
  return (
    <Button
      {...rest}
      variant={rest.variant ?? "quiet"}
      icon={icon}
      aria-label={label}
      title={label}
      class="icon-only"
      aria-pressed={pressed}
    />
  );
}

/** A link to a path of this page. */
export function Link({
  to,
  children,
  class: extra,
  current,
  label,
}: {
  to: string;
  children: ComponentChildren;
  class?: string;
  current?: boolean;
  label?: string;
}) {
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={to}
      class={extra}
      onClick={follow}
      aria-current={current ? "page" : undefined}
      aria-label={label}
    >
      {children}
    </a>
  );
}

export function Kbd({ keys }: { keys: string }) {
  const names = keys.replace("mod+", navigator.platform.startsWith("Mac") ? "⌘ " : "Ctrl ").split(" ");
  return (
    <span class="kbd" aria-hidden="true">
      {names.map((name) => (
        <kbd key={name}>{name === "Escape" ? "Esc" : name}</kbd>
      ))}
    </span>
  );
}

interface FieldProps {
  label: string;
  /** What the value means or must be. */
  hint?: string | undefined;
  error?: string | undefined;
  hideLabel?: boolean;
}

function Field({
  id,
  label,
  hint,
  error,
  hideLabel,
  children,
}: FieldProps & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id} class={hideLabel ? "visually-hidden" : ""}>
        {label}
      </label>
      {children}
      {hint && !error && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-hint`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  lines?: number;
  placeholder?: string;
  mono?: boolean;
  required?: boolean;
}

/** One line of text, or a text area when `lines` is given. */
export function TextField({ value, onValue, lines, placeholder, mono, required, ...field }: TextFieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    placeholder,
    required,
    class: mono ? "input mono" : "input",
    "aria-invalid": field.error ? true : undefined,
    "aria-describedby": field.hint || field.error ? `${id}-hint` : undefined,
  };
  return (
    <Field id={id} {...field}>
      {lines ? (
        <textarea {...shared} rows={lines} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input {...shared} type="text" onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function Select({
  value,
  onValue,
  choices,
  ...field
}: FieldProps & { value: string; onValue: (value: string) => void; choices: readonly Choice[] }) {
  const id = useId();
  return (
    <Field id={id} {...field}>
      <select id={id} class="input" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The search field of a view. `/` focuses it; Escape clears it, then leaves it. */
export function SearchField({
  value,
  onValue,
  label,
  placeholder,
  onKeyDown,
}: {
  value: string;
  onValue: (value: string) => void;
  label: string;
  placeholder?: string;
  onKeyDown?: (event: KeyboardEvent) => void;
}) {
  const keyDown = (event: JSX.TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape") {
      if (value) onValue("");
      else event.currentTarget.blur();
      event.preventDefault();
    }
    onKeyDown?.(event);
  };
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        data-search
        class="input"
        value={value}
        aria-label={label}
        placeholder={placeholder ?? label}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <Kbd keys="/" />
    </div>
  );
}

/** Choose one of a few things that are all visible: a filter, or a way to look at the same data. */
export function Segmented({
  label,
  value,
  onValue,
  choices,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  choices: readonly Choice[];
}) {
  return (
    <div class="segmented" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

/** Tabs over `children`, which is the panel of the selected one. */
export function Tabs({
  label,
  value,
  onValue,
  tabs,
  children,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  tabs: readonly (Choice & { count?: number })[];
  children: ComponentChildren;
}) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const index = tabs.findIndex((tab) => tab.value === value);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onValue(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab.value === value}
            tabIndex={tab.value === value ? 0 : -1}
            aria-controls={`${id}-panel`}
            onClick={() => onValue(tab.value)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count number">{tab.count.toLocaleString("en")}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${value}`} class="tab-panel">
        {children}
      </div>
    </>
  );
}
