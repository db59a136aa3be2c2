// SPDX-License-Identifier: Apache-2.0
// Elements from names, attributes and children.

export type Child = Node | string | number | null | undefined | false | Child[];
export type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

/** An element. An attribute that is `true` is there without a value, one that is `false` or
 * undefined is not; functions are listeners, `onclick` of clicks. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  set(element, attributes);
  append(element, children);
  return element;
}

/** The same of a drawing. */
export function svg(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(element, attributes);
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false)
      parent.appendChild(document.createTextNode(String(child)));
  }
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** Text with `code` between grave accents as such. */
export function words(text: string): Child[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** Calls back once the element is, or is nearly, in sight: what is not looked at costs nothing. */
export function whenSeen(element: Element, draw: () => void): void {
  const watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      draw();
    },
    { rootMargin: "400px" },
  );
  watch.observe(element);
  window.addEventListener("beforeprint", () => {
    watch.disconnect();
    draw();
  }, { once: true });
}
