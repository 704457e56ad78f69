// Goes through the steps of a plan. All that it shows was worked out before; it only picks what holds at a step.
'use strict';

for (const section of document.querySelectorAll('section.plan')) {
  const controls = section.querySelector('.controls');
  if (controls) follow(section, controls);
}

function follow(section, controls) {
  const story = JSON.parse(section.querySelector('script.story').textContent);
  const slider = controls.querySelector('input');
  const now = section.querySelector('.now');
  const told = now.querySelector('.told');
  const waits = now.querySelector('.waits');
  const next = now.querySelector('.next');
  const cursor = section.querySelector('line.cursor');
  const cells = [...section.querySelectorAll('td.then')];
  const rows = new Map();
  for (const row of section.querySelectorAll('tr[data-step]')) rows.set(Number(row.dataset.step), row);
  const states = story.rows.flat();
  const holds = new Map(story.waits);
  const last = story.steps.length;
  let current = null;

  for (const hidden of section.querySelectorAll('.controls, .now, .then')) hidden.hidden = false;
  section.classList.add('live');
  slider.addEventListener('input', () => show(Number(slider.value)));
  controls.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button) go(button.dataset.go);
  });
  for (const [step, row] of rows) row.addEventListener('click', () => show(step));
  section.sts = { go };
  show(0);

  function go(where) {
    const step = Number(slider.value);
    show({ first: 0, back: step - 1, on: step + 1, last }[where]);
  }

  function show(wanted) {
    const step = Math.min(Math.max(wanted, 0), last);
    slider.value = step;
    const at = step > 0 ? story.steps[step - 1][0] : 0;
    const done = step > 0 ? tell(story.steps[step - 1]) : 'as it is now';
    told.textContent = `Step ${step} of ${story.count}, ${done}`;
    if (step < last) next.textContent = `Next, ${tell(story.steps[step])}`;
    else next.textContent = story.complete ? next.dataset.end : '';
    slider.setAttribute('aria-valuetext', told.textContent);
    waits.replaceChildren(...(holds.get(step) || []).map((text) => element('li', text)));
    states.forEach((spans, index) => paint(cells[index], spans, step));
    mark(cursor, at);
    if (rows.has(current)) rows.get(current).removeAttribute('aria-current');
    if (rows.has(step)) rows.get(step).setAttribute('aria-current', 'step');
    current = step;
  }
}

function tell([, when, who, what]) {
  return `at ${when}: ${who}: ${what}`;
}

// What a thing is at a step is the last of its states that begins no later.
function paint(cell, spans, step) {
  const state = spans.findLast(([from]) => from <= step);
  const [from, swatch, text] = state || [0, '', ''];
  cell.replaceChildren();
  if (swatch) {
    const mark = element('span', '');
    mark.className = `swatch ${swatch}`;
    mark.setAttribute('aria-hidden', 'true');
    cell.append(mark);
  }
  cell.append(text);
  cell.classList.toggle('fresh', step > 0 && from === step);
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

// The arrow keys go through the steps of the section in sight, but for where they have a meaning of their own.
document.addEventListener('keydown', (event) => {
  const where = { ArrowLeft: 'back', ArrowRight: 'on', Home: 'first', End: 'last' }[event.key];
  const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!where || !plain || event.target.closest('input, .scroll')) return;
  const sections = [...document.querySelectorAll('section.live')];
  const inSight = (section) => section.querySelector('.stage').getBoundingClientRect().bottom > 0;
  const section = event.target.closest('section.live') || sections.find(inSight) || sections[0];
  if (!section) return;
  event.preventDefault();
  section.sts.go(where);
});
