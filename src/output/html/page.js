// Steps through a plan, and searches sets. All states are in the page; the script only selects the ones at a step, and
// unpacks sections on demand.
'use strict';

// Further sections are packed in blocks, and built on demand.
const blocks = [...document.querySelectorAll('script[type="application/gzip"]')].map((element) => ({
  element, first: Number(element.dataset.first), count: Number(element.dataset.count), texts: null,
}));

for (const section of document.querySelectorAll('section.plan')) enliven(section);
for (const header of document.querySelectorAll('header.fleet')) search(header);
window.addEventListener('hashchange', followLink);
followLink();

function enliven(section) {
  for (const list of section.querySelectorAll('ol.commands')) copyable(list);
  const controls = section.querySelector('.controls');
  if (controls) follow(section, controls);
}

// A link names a set, an event, or both: #set-3, #event=12, #set-3&event=12. Older links name the event step=12.
async function followLink() {
  const set = /(?:^#|&)set-(\d+)/.exec(location.hash);
  const step = /(?:^#|&)(?:event|step)=(\d+)/.exec(location.hash);
  const section = set ? await sectionOf(set[1]) : document.querySelector('section.plan');
  if (!section) return;
  if (step && section.sts) section.sts.show(Number(step[1]));
  if (set) section.scrollIntoView();
}

async function sectionOf(number) {
  const index = Number(number);
  const there = document.getElementById(`set-${index}`);
  const block = blocks.find(({ first, count }) => first <= index && index < first + count);
  if (there || !block) return there;
  block.texts ??= unpacked(block.element);
  const text = (await block.texts)[index - block.first];
  // Another link may have built it in the meantime.
  const built = document.getElementById(`set-${index}`);
  if (built) return built;
  const template = document.createElement('template');
  template.innerHTML = text;
  const section = template.content.firstElementChild;
  document.getElementById('built').append(section);
  enliven(section);
  return section;
}

async function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).text()).split('\0');
}

function search(header) {
  const filter = header.querySelector('.filter');
  if (!filter) return;
  const input = filter.querySelector('input');
  const buttons = [...filter.querySelectorAll('button')];
  const matches = header.querySelector('.matches');
  const rows = [...header.querySelectorAll('tbody tr')].map((row) => [row, row.textContent.toLowerCase()]);
  filter.hidden = false;
  input.addEventListener('input', narrow);
  for (const button of buttons) {
    button.addEventListener('click', () => {
      button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
      narrow();
    });
  }

  function narrow() {
    const words = input.value.toLowerCase().split(/\s+/);
    const pressed = buttons.filter((button) => button.getAttribute('aria-pressed') === 'true');
    const states = new Set(pressed.map((button) => button.dataset.state));
    let shown = 0;
    for (const [row, text] of rows) {
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits || (states.size > 0 && !states.has(row.dataset.state));
      if (!row.hidden) shown += 1;
    }
    matches.hidden = shown === rows.length;
    matches.textContent = `${spaced(shown)} of ${spaced(rows.length)} sets.`;
  }
}

// A number with separated thousands: 5 000.
function spaced(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

// A button that copies commands, in the corner of their box.
function copyable(list) {
  const button = element('button', 'Copy');
  button.type = 'button';
  button.className = 'copy';
  button.addEventListener('click', async () => {
    const text = [...list.querySelectorAll('code')].map((code) => code.textContent).join('\n');
    button.textContent = (await copied(text)) ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  const box = element('div', '');
  box.className = 'copied';
  list.replaceWith(box);
  box.append(button, list);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without access to the clipboard, copy a selection.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function follow(section, controls) {
  const story = JSON.parse(section.querySelector('script.story').textContent);
  const slider = controls.querySelector('input');
  const play = controls.querySelector('[data-go=play]');
  const speed = controls.querySelector('select');
  const now = section.querySelector('.now');
  const told = now.querySelector('.told');
  const waits = now.querySelector('.waits');
  const next = now.querySelector('.next');
  const panel = section.querySelector('.pod-story');
  const cursor = section.querySelector('line.cursor');
  const cells = [...section.querySelectorAll('td.then')];
  const rows = new Map();
  for (const row of section.querySelectorAll('.steps tr[data-step]')) rows.set(Number(row.dataset.step), row);
  const states = story.rows.flat();
  const holds = new Map(story.waits);
  const last = story.steps.length;
  let current = 0;
  let pod = null;
  let timer = null;

  for (const hidden of section.querySelectorAll('.controls, .now, .then')) hidden.hidden = false;
  section.classList.add('live');
  slider.addEventListener('input', () => { pause(); show(Number(slider.value)); link(); });
  controls.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button) go(button.dataset.go);
  });
  speed.addEventListener('change', () => { if (timer) start(); });
  for (const row of section.querySelectorAll('.steps tr[data-step]')) {
    row.addEventListener('click', () => { pause(); show(Number(row.dataset.step)); link(); });
  }
  for (const row of section.querySelectorAll('.states tr[data-pod] > th')) named(row);
  for (const row of section.querySelectorAll('.happens tr[data-pod]')) {
    row.addEventListener('click', () => { pause(); show(Number(row.dataset.step)); link(); showPod(row.dataset.pod); });
  }
  for (const lane of section.querySelectorAll('g.row[data-pod]')) {
    lane.addEventListener('click', () => showPod(lane.dataset.pod));
  }
  section.sts = { go, show };
  show(0);

  function go(where) {
    if (where === 'play') return timer ? pause() : start();
    pause();
    show({ first: 0, back: current - 1, on: current + 1, last }[where]);
    link();
  }

  function start() {
    clearInterval(timer);
    if (current === last) show(0);
    timer = setInterval(() => {
      show(current + 1);
      if (current === last) { pause(); link(); }
    }, 1000 / Number(speed.value));
    play.textContent = 'Pause';
    play.setAttribute('aria-pressed', 'true');
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
    play.setAttribute('aria-pressed', 'false');
  }

  // The address is a link to the current step, except in the playground.
  function link() {
    if (document.body.classList.contains('playground')) return;
    const alone = document.querySelectorAll('header.fleet').length === 0;
    history.replaceState(null, '', alone ? `#event=${current}` : `#${section.id}&event=${current}`);
  }

  function show(wanted) {
    const step = Math.min(Math.max(wanted, 0), last);
    slider.value = step;
    const at = step > 0 ? story.steps[step - 1][0] : 0;
    const done = step > 0 ? describe(story.steps[step - 1]) : 'now';
    told.textContent = `Event ${step} of ${story.count}, ${done}`;
    next.textContent = step < last ? `Next, ${describe(story.steps[step])}` : next.dataset.end;
    slider.setAttribute('aria-valuetext', told.textContent);
    waits.replaceChildren(...(holds.get(step) || []).map((text) => element('li', text)));
    states.forEach((spans, index) => paint(cells[index], spans, step));
    mark(cursor, at);
    if (rows.has(current)) rows.get(current).removeAttribute('aria-current');
    if (rows.has(step)) rows.get(step).setAttribute('aria-current', 'step');
    current = step;
    if (pod !== null) showPod(pod);
  }

  // The name of a pod is a button that shows its history.
  function named(cell) {
    const name = cell.parentElement.dataset.pod;
    const button = element('button', cell.firstChild.textContent);
    button.type = 'button';
    button.className = 'name';
    button.addEventListener('click', () => showPod(pod === name ? null : name));
    cell.firstChild.replaceWith(button);
  }

  // Shows the history of one pod.
  function showPod(name) {
    const index = name === null ? -1 : story.names.indexOf(name.slice('pod/'.length));
    pod = index < 0 ? null : name;
    panel.hidden = pod === null;
    if (pod === null) return;
    const list = document.createElement('ol');
    for (const [from, swatch, text] of story.rows[0][index]) {
      const item = document.createElement('li');
      const when = from > 0 ? `event ${from}, at ${story.steps[from - 1][1]}: ` : 'now: ';
      const button = element('button', when);
      button.type = 'button';
      button.addEventListener('click', () => { pause(); show(from); link(); });
      item.append(button, ...swatched(swatch, text));
      if (from <= current) item.className = 'past';
      list.append(item);
    }
    const close = element('button', 'Close');
    close.type = 'button';
    close.addEventListener('click', () => showPod(null));
    panel.replaceChildren(element('strong', story.names[index]), close, list);
  }
}

function describe([, when, who, what]) {
  return `at ${when}: ${who}: ${what}`;
}

// The state at a step is the last one that begins no later.
function paint(cell, spans, step) {
  const state = spans.findLast(([from]) => from <= step);
  const [from, swatch, text] = state || [0, '', ''];
  cell.replaceChildren(...swatched(swatch, text));
  cell.classList.toggle('fresh', step > 0 && from === step);
}

function swatched(swatch, text) {
  if (!swatch) return [text];
  const mark = element('span', '');
  mark.className = `swatch ${swatch}`;
  mark.setAttribute('aria-hidden', 'true');
  return [mark, text];
}

function mark(cursor, at) {
  const { left, right, end } = cursor.dataset;
  const share = Number(end) > 0 ? at / Number(end) : 0;
  const x = (Number(left) + (Number(right) - Number(left)) * share).toFixed(1);
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

// The arrow keys step through the visible section, unless the focused element uses them.
document.addEventListener('keydown', (event) => {
  const keys = { ArrowLeft: 'back', ArrowRight: 'on', Home: 'first', End: 'last', ' ': 'play' };
  const where = keys[event.key];
  const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!where || !plain || event.target.closest('input, select, textarea, .scroll')) return;
  if (where === 'play' && event.target.closest('button, a, summary')) return;
  const sections = [...document.querySelectorAll('section.live')];
  const inSight = (section) => section.querySelector('.stage').getBoundingClientRect().bottom > 0;
  const section = event.target.closest('section.live') || sections.find(inSight) || sections[0];
  if (!section) return;
  event.preventDefault();
  section.sts.go(where);
});
