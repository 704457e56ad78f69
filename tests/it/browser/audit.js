// Returns what of a page breaks the rules that tools for accessibility check: names, roles, headings, contrast, sizes,
// the keyboard. Each fault is a line: the rule, and the element.
(() => {
  const faults = new Set();
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const told = (element) => element.outerHTML.slice(0, 160).replace(/\s+/g, ' ');
  const check = (holds, rule, element) => holds || faults.add(`${rule}: ${told(element)}`);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('[aria-hidden="true"]');
  const textOf = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ');

  // The name that a screen reader says.
  function nameOf(element) {
    const labelled = element.getAttribute('aria-labelledby');
    if (labelled) return textOf(labelled).trim();
    const label = element.getAttribute('aria-label') ?? '';
    if (label.trim()) return label.trim();
    if (element.labels?.length) return [...element.labels].map((one) => one.textContent).join(' ').trim();
    const title = element.querySelector(':scope > title')?.textContent ?? element.getAttribute('title') ?? '';
    return (element.matches('input, select, textarea') ? title : element.textContent || title).trim();
  }

  check(document.documentElement.lang, 'the page has a language', document.documentElement);
  check(document.title.trim(), 'the page has a title', document.head);
  check(all('main').length === 1, 'one main landmark', document.body);
  check(all('h1').some(isShown), 'a heading of the first level', document.body);
  let level = 0;
  for (const heading of all('h1, h2, h3, h4, h5, h6').filter(isShown)) {
    const own = Number(heading.tagName[1]);
    check(own <= level + 1, `no level between h${level} and h${own} is left out`, heading);
    check(heading.textContent.trim(), 'a heading has a text', heading);
    level = own;
  }
  const ids = new Set();
  for (const element of all('[id]')) {
    check(!ids.has(element.id), 'an id is one of its kind', element);
    ids.add(element.id);
  }
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns']) {
    for (const element of all(`[${attribute}]`)) {
      const known = element.getAttribute(attribute).split(' ').every((id) => document.getElementById(id));
      check(known, `${attribute} names what is there`, element);
    }
  }
  const roles = ['alert', 'button', 'group', 'img', 'list', 'listitem', 'note', 'presentation', 'region', 'search', 'status'];
  for (const element of all('[role]')) check(roles.includes(element.getAttribute('role')), 'a role is known', element);
  for (const element of all('[aria-pressed], [aria-busy], [aria-hidden], [aria-expanded]')) {
    for (const attribute of ['aria-pressed', 'aria-busy', 'aria-hidden', 'aria-expanded']) {
      const value = element.getAttribute(attribute);
      check([null, 'true', 'false'].includes(value), `${attribute} is true or false`, element);
    }
  }

  const operable = 'a[href], button, input, select, textarea, summary, [tabindex]';
  for (const element of all(operable)) {
    check(!(element.tabIndex > 0), 'the order of the keyboard is that of the page', element);
    check(!element.closest('[aria-hidden="true"]') || element.tabIndex < 0, 'what is hidden takes no focus', element);
    if (isShown(element)) check(nameOf(element), 'what takes the focus has a name', element);
  }
  for (const element of all('svg, img, [role="img"]').filter(isShown)) {
    const isPart = element.parentElement.closest('svg, [role="img"], button, a, summary');
    if (!isPart) check(element.alt ?? nameOf(element), 'a picture has a name', element);
  }
  for (const element of all('section, form, nav').filter(isShown)) {
    const labelled = element.matches('[aria-labelledby], [aria-label]');
    if (labelled) check(nameOf(element), 'a landmark has a name', element);
  }
  for (const list of all('ul, ol')) {
    for (const child of list.children) check(child.matches('li, script, template'), 'a list has entries alone', child);
  }
  for (const table of all('table').filter(isShown)) {
    check(table.querySelector('th'), 'a table has headings', table);
    const isNamed = table.closest('[aria-label], [aria-labelledby]') || table.caption;
    check(isNamed, 'a table has a name, or stands in what has one', table);
  }
  for (const element of all('body *').filter(isShown)) {
    const style = getComputedStyle(element);
    const scrolls = (axis, inner, outer) => ['auto', 'scroll'].includes(style[axis]) && inner > outer + 1;
    if (scrolls('overflowX', element.scrollWidth, element.clientWidth) || scrolls('overflowY', element.scrollHeight, element.clientHeight)) {
      const reached = element.tabIndex >= 0 || all(operable, element).some((one) => one.tabIndex >= 0 && isShown(one));
      check(reached, 'the keyboard reaches what scrolls', element);
    }
  }
  // Links within a sentence may be as high as their line.
  for (const element of all('button, input, select, textarea, summary').filter(isShown)) {
    const { width, height } = element.getBoundingClientRect();
    check(width >= 24 && height >= 24, `large enough for a finger (${width.toFixed(0)} by ${height.toFixed(0)})`, element);
  }

  // Colors as the browser mixes them, whatever notation they have.
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const paint = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map();
  function rgba(color) {
    if (!known.has(color)) {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = color;
      paint.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
      known.set(color, [red, green, blue, alpha / 255]);
    }
    return known.get(color);
  }
  const over = ([...top], bottom) => {
    const alpha = top[3];
    return [...top.slice(0, 3).map((part, at) => part * alpha + bottom[at] * (1 - alpha)), 1];
  };
  function luminance([...color]) {
    const [red, green, blue] = color.slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  // What is behind an element; null where that is a picture.
  function background(element) {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.backgroundImage !== 'none') return null;
      const color = rgba(style.backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    const page = rgba(getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
      matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#ffffff');
    return layers.reduceRight((below, layer) => over(layer, below), page);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let compared = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const isText = texts.currentNode.data.trim() && !element.closest('script, style, template, title, option, :disabled');
    if (!isText || !isShown(element)) continue;
    const behind = background(element);
    if (!behind) continue;
    const style = getComputedStyle(element);
    const color = [...rgba(element.closest('svg') ? style.fill : style.color)];
    for (let one = element; one; one = one.parentElement) color[3] *= Number(getComputedStyle(one).opacity);
    const [light, dark] = [luminance(over(color, behind)), luminance(behind)].sort((one, other) => other - one);
    const contrast = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    compared += 1;
    check(contrast >= (isLarge ? 3 : 4.5), `contrast of ${contrast.toFixed(2)}`, element);
  }
  if (compared === 0) faults.add('no text was compared with what is behind it');
  return [...faults];
})()
