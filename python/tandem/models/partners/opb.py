# SPDX-License-Identifier: Apache-2.0
"""Of OPB."""

MASTER = """
static bool selected, is_read;
static uint32_t address, word, lanes;
static void give(row &now)
{
    if (!selected && happens(0)) {
        Write one = random_write();
        selected = true, is_read = below(2);
        address = is_read ? random_read() : one.offset, word = one.word;
        lanes = is_read ? 15 : one.lanes;
        address |= random_word() << 4;
    }
    // Others talk meanwhile.
    uint32_t elsewhere = selected ? 0 : random_word();
    model.OPB_select = selected, model.OPB_RNW = selected ? is_read : elsewhere & 1;
    model.OPB_ABus = selected ? address : elsewhere, model.OPB_DBus = selected ? word : elsewhere;
    model.OPB_BE = selected ? lanes : elsewhere & 15, model.OPB_seqAddr = 0;
    if (selected) now.given[0] = 1 | is_read << 1 | lanes << 3, now.given[1] = address;
    if (selected && !is_read) now.given[2] = word;
}
static void see(row &now)
{
    bool ack = model.Sln_xferAck;
    now.said[0] = ack | model.Sln_errAck << 1 | model.Sln_retry << 2;
    now.said[1] = model.Sln_DBus;
    if (ack) selected = false, transfers++;
}
"""

SLAVE = """
static uint32_t selected;
static void give(row &now)
{
    ask(now);
    bool answers = selected && happens(0);
    uint32_t ack = answers && below(8), error = ack && !below(8);
    uint32_t retry = answers && !ack && below(4), timeout = answers && !ack && !retry;
    // Who gets the bus is not known before the request is.
    uint32_t grant = happens(1), data = ack ? random_word() : 0;
    model.OPB_xferAck = ack, model.OPB_errAck = error, model.OPB_retry = retry;
    model.OPB_timeout = timeout, model.OPB_DBus = data, model.OPB_MnGrant = grant;
    now.given[3] = ack | error << 1 | retry << 2 | timeout << 3 | grant << 4;
    now.given[4] = data;
}
static void see(row &now)
{
    selected = model.Mn_select;
    now.said[0] = selected | model.Mn_RNW << 1 | model.Mn_request << 2 | model.Mn_BE << 3;
    now.said[1] = model.Mn_ABus, now.said[2] = model.Mn_DBus;
    heard(now);
    // What ends a transfer does so in the cycle in which it is said.
    if (model.OPB_xferAck || model.OPB_retry || model.OPB_timeout) selected = false;
}
"""
