import type { ComponentChildren } from "preact";
import "./layout.css";

/** The frame of a view: its title, what can be done, and its content. `wide` uses all of a large screen. */
export function Page({
  title,
  subtitle,
  actions,
  wide,
  fill,
  children,
}: {
  title: string;
  subtitle?: ComponentChildren;
  actions?: ComponentChildren;
  wide?: boolean;
  /** The content is as high as the window and scrolls inside itself. */
  fill?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`page ${wide ? "wide" : ""} ${fill ? "fill" : ""}`}>
      <header class="page-head">
        <div class="grow">
          <h1 tabIndex={-1} id="page-title">
            {title}
          </h1>
          {subtitle && <div class="page-subtitle muted">{subtitle}</div>}
        </div>
        {actions && <div class="row wrap">{actions}</div>}
      </header>
      <div class="page-body">{children}</div>
    </div>
  );
}

/** A list and what is selected in it, side by side; on a phone the detail covers the list while it is open. */
export function Split({
  list,
  detail,
  open,
  label,
}: {
  list: ComponentChildren;
  detail: ComponentChildren;
  open: boolean;
  label: string;
}) {
  return (
    <div class={open ? "split open" : "split"}>
      <div class="split-list">{list}</div>
      <section class="split-detail" aria-label={label}>
        {detail}
      </section>
    </div>
  );
}

/** Children in as many columns of at least `min` pixels as fit. */
export function Grid({ min = 260, children }: { min?: 180 | 260 | 360 | 480; children: ComponentChildren }) {
  return (
    <div class="grid" data-min={min}>
      {children}
    </div>
  );
}
