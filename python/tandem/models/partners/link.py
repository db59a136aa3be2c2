# SPDX-License-Identifier: Apache-2.0
"""Of links: words and orders as they come, and a reader that takes its time."""

from string import Template

_MASTER = Template("""
// What a driver sends to a shell, in any order; it asks for more than the FIFO holds too. A kernel
// starts with words in all of its arguments: one that waits for a stream's would wait forever.
struct Put { bool is_control; uint32_t word; };
static std::deque<Put> next;
static void start()
{
    for (uint32_t argument = 0; argument < 4; argument++) {
        next.push_back({true, 1 | argument << 8});
        for (int i = 0; i < 4; i++) next.push_back({false, random_word()});
    }
    next.push_back({true, 2});
}
static bool stands, is_control;
static uint32_t word;
static void give(row &now)
{
    if (!stands && happens(0)) {
        uint32_t kind = below(64);
        if (next.empty() && kind == 0) start();
        if (next.empty()) {
            uint32_t any = random_word() & ~255u;
            if (kind < 12) next.push_back({true, 1 | below(4) << 8 | any << 16});
            else if (kind < 20) next.push_back({true, 3 | below(below(4) ? 6 : 40) << 8});
            else if (kind < 24) next.push_back({true, 4 | any});
            else if (kind < 28) next.push_back({true, any});
            else next.push_back({false, random_word()});
        }
        stands = true, is_control = next[0].is_control, word = next[0].word;
        next.pop_front();
    }
    bool puts = stands && ($is_gated ? $room : true);
    bool takes = happens(1) && ($is_gated ? $exists : true);
    $puts = puts, $flag = is_control, $put = puts ? word : random_word(), $takes = takes;
    now.given[0] = puts | (puts && is_control) << 1 | takes << 2, now.given[1] = puts ? word : 0;
}
static void see(row &now)
{
    uint32_t room = $room, exists = $exists;
    now.said[0] = room | exists << 1 | (exists ? $last : 0) << 2, now.said[1] = exists ? $sent : 0;
    if ($puts && room) stands = false, transfers++;
    transfers += exists && $takes;
}
""")

_SLAVE = Template("""
static bool exists, last;
static uint32_t sent;
static void give(row &now)
{
    ask(now);
    bool room = happens(0);
    if (!exists && happens(1)) exists = true, last = below(2), sent = random_word();
    $set_room, $exists = exists, $last = last, $sent = sent;
    now.given[3] = room | exists << 1 | (exists && last) << 2, now.given[4] = exists ? sent : 0;
}
static void see(row &now)
{
    uint32_t puts = $puts, takes = $takes;
    now.said[0] = puts | (puts ? $flag : 0) << 1 | takes << 2, now.said[1] = puts ? $put : 0;
    if (takes) exists = false;
    heard(now);
}
""")

_FSL = {
    "is_gated": "true",
    "puts": "model.FSL_M_Write",
    "flag": "model.FSL_M_Control",
    "put": "model.FSL_M_Data",
    "room": "!model.FSL_M_Full",
    "set_room": "model.FSL_M_Full = !room",
    "exists": "model.FSL_S_Exists",
    "last": "model.FSL_S_Control",
    "sent": "model.FSL_S_Data",
    "takes": "model.FSL_S_Read",
}
FSL = (_MASTER.substitute(_FSL), _SLAVE.substitute(_FSL))


def _stream(to_shell: str, to_core: str) -> dict[str, str]:
    """By what an end has before its pins."""
    return {
        "is_gated": "false",
        "puts": f"model.{to_shell}_tvalid",
        "flag": f"model.{to_shell}_tlast",
        "put": f"model.{to_shell}_tdata",
        "room": f"model.{to_shell}_tready",
        "set_room": f"model.{to_shell}_tready = room",
        "exists": f"model.{to_core}_tvalid",
        "last": f"model.{to_core}_tlast",
        "sent": f"model.{to_core}_tdata",
        "takes": f"model.{to_core}_tready",
    }


AXI4_STREAM = (
    _MASTER.substitute(_stream("s_axis", "m_axis")),
    _SLAVE.substitute(_stream("m_axis", "s_axis")),
)
